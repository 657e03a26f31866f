/**
 * `POST /extension/browser/registry` on the extension's socket: one operation a request, named by `operation`. The
 * extension says what it sees of itself and of the pages; the runtime gives opaque refs back and makes none up.
 *
 * Order of a fresh page: {@link EndpointRegister} → {@link ProviderObserve} → {@link ResourceObserve} of the account, then
 * of the Project (`space`) where there is one, then of the conversation (`session`), whose ref is the
 * `browser_session_ref`. After that {@link SourceTurnObserve} whenever a user's turn begins, every
 * {@link SOURCE_TURN_REPEAT_MS} while it goes on, and when it ends.
 *
 * Every answer is `{ok: true, …}` or `{ok: false, code, message, next}` with status 200; a body that fits no operation is
 * 400 `invalid_params`. Repeating an operation is harmless.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { closed, operation, type Refused } from './operation.ts';
import { type WakeAnswer, WakeClaim, WakeDone, WakeLeave } from './wake.ts';

/** While a user's turn goes on it is reported again this often, so that silence can be told from going on. */
export const SOURCE_TURN_REPEAT_MS = 30_000;

/** Ids of chat sites, as `continuity` knows them: `chatgpt`, `claude`, `grok`, `gemini`, `zai`, `deepseek`. */
export const PROVIDER_PATTERN = '^[a-z][a-z0-9_-]{0,31}$';
export const RESOURCE_REF_PATTERN = '^br_[0-9a-f]{64}$';
const Provider = Type.String({ pattern: PROVIDER_PATTERN });
export const EndpointRef = Type.String({ pattern: '^bep_[0-9a-f]{32}$' });
export const ResourceRef = Type.String({ pattern: RESOURCE_REF_PATTERN });
const Generation = Type.Integer({ minimum: 1 });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Time = Type.Integer({ minimum: 0, description: 'ms since 1970, by the clock of this machine' });

export const RESOURCE_KINDS = ['account', 'space', 'session'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** This browser profile. The seed is random, made once and kept in the profile; only its digest is stored. */
export const EndpointRegister = operation('endpoint.register', {
  profile_seed: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  browser_family: Type.String({ minLength: 1, maxLength: 32 }),
  extension_version: Type.String({ minLength: 1, maxLength: 32 }),
});
export type EndpointRegister = Static<typeof EndpointRegister>;

/** What the person allows; all three are theirs to give. */
export const Consent = Type.Object(
  { webchat_control: Type.Boolean(), tool_bridge: Type.Boolean(), tool_bridge_workstation_mutation: Type.Boolean() },
  closed,
);
export type Consent = Static<typeof Consent>;

/** Changes the consent when it still stands at that revision (compare and set). */
export const EndpointConsent = operation('endpoint.consent', {
  endpoint_ref: EndpointRef,
  expected_revision: Type.Integer({ minimum: 0 }),
  consent: Consent,
});
export type EndpointConsent = Static<typeof EndpointConsent>;

/** What this build can do on a site. Answers with the generation to name from now on; it grows when anything changed. */
export const ProviderObserve = operation('provider.observe', {
  endpoint_ref: EndpointRef,
  provider: Provider,
  adapter_protocol_version: Type.Integer({ minimum: 1 }),
  capabilities: Type.Array(Type.String({ pattern: '^[a-z_.]{1,64}$' }), { maxItems: 32, uniqueItems: true }),
});
export type ProviderObserve = Static<typeof ProviderObserve>;

/** The account of a page that shows nobody signed in, or of which it cannot be told: nothing is dispatched there. */
export const NO_ACCOUNT = 'anonymous';

/**
 * An account, a Project of it, or a conversation. `parent_ref`: absent for an account; the account for a space; the space,
 * else the account, for a session. `native_identity` is the site's own id; only its digest is stored. An account's is a
 * digest already, made in the page and the same in this browser only; it has no label. What was seen under {@link NO_ACCOUNT}
 * and is seen again under an account keeps its ref and belongs to that account from then on.
 */
export const ResourceObserve = operation('resource.observe', {
  endpoint_ref: EndpointRef,
  provider: Provider,
  kind: Type.Unsafe<ResourceKind>({ type: 'string', enum: [...RESOURCE_KINDS] }),
  parent_ref: Type.Optional(ResourceRef),
  native_identity: Type.String({ minLength: 1, maxLength: 512 }),
  display_label: Type.Optional(Type.String({ maxLength: 256 })),
  canonical_url: Type.Optional(Type.String({ maxLength: 2048 })),
  expected_generation: Generation,
});
export type ResourceObserve = Static<typeof ResourceObserve>;

/**
 * The newest user turn of a conversation. `turn_id` is the site's message id (or a digest that stays the same for the same
 * turn); `started_at` when it was sent. `in_progress` until the assistant has finished its answer to it. Send it before
 * anything else happens after a submit: it is what proves which conversation a tool call came from. `user_text_sha256` is of
 * the words in the form of `browser/user-text.ts`: by it a chat can be named by its current user message.
 */
export const SourceTurnObserve = operation('source_turn.observe', {
  session_ref: ResourceRef,
  expected_generation: Generation,
  turn_id: Type.String({ minLength: 1, maxLength: 256 }),
  user_text_sha256: Type.Optional(Sha256),
  in_progress: Type.Boolean(),
  started_at: Time,
  observed_at: Time,
});
export type SourceTurnObserve = Static<typeof SourceTurnObserve>;

export const RegistryRequest = Type.Union([
  EndpointRegister,
  EndpointConsent,
  ProviderObserve,
  ResourceObserve,
  SourceTurnObserve,
  WakeClaim,
  WakeLeave,
  WakeDone,
]);
export type RegistryRequest = Static<typeof RegistryRequest>;

export interface EndpointAnswer {
  ok: true;
  endpoint_ref: string;
  device_id: string;
  consent: Consent;
  consent_revision: number;
}

export interface ProviderAnswer {
  ok: true;
  endpoint_ref: string;
  provider: string;
  observation_generation: number;
}

export interface ResourceAnswer {
  ok: true;
  resource_ref: string;
  kind: ResourceKind;
  observation_generation: number;
  /** The same as `resource_ref`, only for a session. */
  browser_session_ref?: string;
}

export interface SourceTurnAnswer {
  ok: true;
  /** False when a newer observation of this conversation is known: nothing was changed. */
  accepted: boolean;
}

/** Codes of `{ok: false}`. `stale_capability_generation` carries `observation_generation`: observe the provider again. */
export type RegistryRefusal =
  | 'browser_endpoint_not_found'
  | 'browser_resource_not_found'
  | 'browser_resource_scope_mismatch'
  | 'browser_consent_revision_conflict'
  | 'stale_capability_generation'
  | 'browser_store_unavailable';

export interface RegistryFailure extends Refused<RegistryRefusal> {
  observation_generation?: number;
  consent?: Consent;
  consent_revision?: number;
}

export type RegistryAnswer =
  | EndpointAnswer
  | ProviderAnswer
  | ResourceAnswer
  | SourceTurnAnswer
  | WakeAnswer
  | RegistryFailure;
