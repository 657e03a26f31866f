/** What the fleet's REST answers when it refuses: one closed list, so that the CLI can branch on a code and never on a text. */
import type { Static } from 'typebox';
import * as Type from 'typebox';

/** Every refusal code with its HTTP status. A code keeps its meaning for ever. */
export const FLEET_ERRORS = {
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  /** The edge lacks a secret that this route needs; only who deployed it can help. */
  edge_misconfigured: 503,

  // who asks
  device_auth_failed: 401,
  /** The token's times do not fit the edge's clock; the answer carries `now_ms`. */
  device_clock_skew: 401,
  device_token_replayed: 401,
  device_revoked: 401,
  device_suspended: 403,
  operator_secret_rejected: 401,
  /** A device exists, so the one-time secret is spent: a paired device makes the next pairing. */
  operator_secret_spent: 403,

  // pairing: one code for every reason, so that a stranger learns nothing
  pairing_rejected: 401,

  // devices
  device_not_found: 404,
  device_name_taken: 409,
  /** The registry has revoked the device, its own object has not confirmed yet. Asking again converges. */
  device_revoke_incomplete: 503,
  /** The same for a pause, a suspension and their ends. */
  device_change_incomplete: 503,

  // connectors
  request_not_found: 404,
  request_ambiguous: 409,
  request_expired: 410,
  request_settled: 409,
  invalid_code: 403,
  locked: 423,
  connector_not_found: 404,
  /** The grant is gone, so no new token works; some workstation has not confirmed yet. Asking again converges. */
  connector_revoke_incomplete: 503,

  // automation clients
  automation_not_found: 404,
  automation_limit: 409,
  automation_revoke_incomplete: 503,
} as const;

export type FleetErrorCode = keyof typeof FLEET_ERRORS;

/** A refusal's body. `now_ms` is the edge's clock in ms since 1970, on every 401 that concerns time. */
export const FleetRefusal = Type.Object({
  ok: Type.Literal(false),
  code: Type.String(),
  message: Type.String(),
  next: Type.String(),
  retryable: Type.Boolean(),
  now_ms: Type.Optional(Type.Integer()),
  retry_after_ms: Type.Optional(Type.Integer()),
  tries_left: Type.Optional(Type.Integer()),
  candidates: Type.Optional(Type.Array(Type.String())),
});
export type FleetRefusal = Static<typeof FleetRefusal>;
