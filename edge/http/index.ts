/** What the identity half's routes share: bindings, origins, bodies, answers, rate windows, and every number. */
export { callerAddress } from './address.ts';
export { CORS, NO_STORE, oauthError, privateJson, refusal, refuse } from './answers.ts';
export {
  type AuthRpc,
  type DeviceStatus,
  type FleetDevice,
  type FleetRpc,
  type IdentityEnv,
  MAIN,
  type Refused,
  type WorkstationRpc,
} from './bindings.ts';
export { textUpTo } from './body.ts';
export { type Language, languageOf } from './language.ts';
export * from './limits.ts';
export {
  canonicalResource,
  isForeign,
  type Origins,
  originOf,
  parseOrigins,
  resourceMetadataOf,
  resourceOf,
} from './origins.ts';
export { RateWindow } from './rate.ts';
export { countRefusal, refusedTooOften } from './strangers.ts';
