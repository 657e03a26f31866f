/**
 * How a browser is given a dispatch and says what came of it: `POST /extension/browser/actuation`, one operation a request.
 *
 * 1. The stream says `browser_actuation` ({@link ActuationEvent}): something waits for that browser. It carries no words.
 *    After each `hello` the extension asks by itself, so a lost event costs time and nothing else.
 * 2. {@link ActuationPending} lists what waits. {@link ActuationClaim} takes one, with a claimant's name that the
 *    extension wrote down before it asked: the same claimant gets the same command again, another one gets none. What
 *    nobody claims in time was certainly not delivered.
 * 3. {@link ActuationConfirm} is the last question before anything is typed or pressed: the account that the page shows now
 *    is named, and whoever may act, the consent and the generation are looked at once more. Only after `confirmed` is it
 *    done; before, it can still be withdrawn. What waits for a better moment says so with {@link ActuationDefer}.
 * 4. The extension does it, once, and sends {@link ActuationReport} with what it saw until it is answered. A report of
 *    another claimant changes nothing; a late one may still settle its own dispatch, and a settled one never goes back.
 *
 * Answers are `{ok: true, …}` or `{ok: false, code, message, next}` with status 200; a body that fits nothing is 400.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { closed, operation, type Refused } from '../extension/operation.ts';
import { EndpointRef, ResourceRef } from '../extension/registry.ts';
import { type DispatchView, type Operation, TAB_OUTCOMES, type TabOutcome } from './dispatch.ts';
import { DISPATCH_MESSAGE_BYTES_MAX, DispatchId } from './methods.ts';

export const ACTUATION_PROTOCOL = 'herdr-browser-actuation/v1';
/** What an extension must keep to: from 2 on it names the account and asks to confirm before it acts. */
export const ADAPTER_PROTOCOL = 2;
/** The name of the event on `/push/events`. */
export const ACTUATION_EVENT = 'browser_actuation';

/** The data of `event: browser_actuation`. */
export interface ActuationEvent {
  protocol: typeof ACTUATION_PROTOCOL;
  endpoint_ref: string;
  actuation_id: string;
  dispatch_id: string;
}

const ActuationId = Type.String({ pattern: '^ba_[0-9a-f]{16}$' });
const Claimant = Type.String({ pattern: '^[A-Za-z0-9_:-]{8,64}$' });
/** Which actuation, and who has it. */
const own = { endpoint_ref: EndpointRef, actuation_id: ActuationId, claimant: Claimant };

const ActuationPending = operation('actuation.pending', { endpoint_ref: EndpointRef });
const ActuationClaim = operation('actuation.claim', { ...own });

const Reason = Type.String({ pattern: '^[a-z][a-z0-9_]{0,95}$' });

/** Who is signed in where the act would be done: an account's ref, or that nobody is, or that it cannot be told. */
export const SignedIn = Type.Union([ResourceRef, Type.Literal('signed_out'), Type.Literal('account_unknown')]);
export type SignedIn = Static<typeof SignedIn>;

/**
 * Asked as often as it is not answered, and once more when the words stand in the composer: nothing has been typed or pressed
 * before it is, and nothing is sent that would be refused by then.
 */
const ActuationConfirm = operation('actuation.confirm', { ...own, signed_in: SignedIn });
/** Its time has not come, because of `reason`: nobody else is held up meanwhile, and whoever asked is told at once. */
const ActuationDefer = operation('actuation.defer', { ...own, reason: Reason });

const MessageRef = Type.String({ minLength: 1, maxLength: 256 });
const Url = Type.String({ minLength: 1, maxLength: 2_048 });

/**
 * What was seen, and nothing that was concluded. `refused` and `resource_available: false` are certain: nothing was pressed.
 */
export const Evidence = Type.Object(
  {
    observed_generation: Type.Integer({ minimum: 1 }),
    /** The page pressed what it was asked to press; null when that is not known. */
    command_accepted: Type.Union([Type.Boolean(), Type.Null()]),
    resource_available: Type.Optional(Type.Boolean()),
    /** Why nothing was pressed: `user_typing`, `card_waiting`, … */
    refused: Type.Optional(Reason),
    session_ref: Type.Optional(ResourceRef),
    canonical_url: Type.Optional(Url),
    lifecycle: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('archived')])),
    accepted_message_ref: Type.Optional(MessageRef),
    message_baseline_advanced: Type.Optional(Type.Boolean()),
    generation_status: Type.Optional(
      Type.Union([Type.Literal('generating'), Type.Literal('idle'), Type.Literal('unknown')]),
    ),
    generation_stopped: Type.Optional(Type.Boolean()),
    /** What became of the tab in which a chat was archived. */
    tab: Type.Optional(Type.Unsafe<TabOutcome>({ type: 'string', enum: [...TAB_OUTCOMES] })),
    reason: Type.Optional(Reason),
  },
  closed,
);
export type Evidence = Static<typeof Evidence>;

const ActuationReport = operation('actuation.report', { ...own, evidence: Evidence });

/** The answer to a message that was accepted, once it is complete. `text` is kept at the workstation, whole or cut. */
export const DispatchSettle = operation('dispatch.result', {
  endpoint_ref: EndpointRef,
  dispatch_id: DispatchId,
  observed_generation: Type.Integer({ minimum: 1 }),
  accepted_user_message_ref: MessageRef,
  outcome: Type.Union([Type.Literal('settled'), Type.Literal('stopped'), Type.Literal('failed')]),
  assistant_message_ref: Type.Optional(MessageRef),
  text: Type.Optional(Type.String({ maxLength: DISPATCH_MESSAGE_BYTES_MAX })),
});
export type DispatchSettle = Static<typeof DispatchSettle>;

/**
 * A person's own browser hands a chat over: the same service, on that browser's behalf, without the consent that other
 * callers need, because the one who pressed is the one who would give it. Only beside a chat of that same browser.
 */
export const HandoffDeliver = operation('handoff.deliver', {
  endpoint_ref: EndpointRef,
  source_url: Url,
  /** The Project that the new chat belongs in; absent: none. */
  space_ref: Type.Optional(ResourceRef),
  /** The chat that is already there and was proved to hold no user turn: the message goes into it, under the same key. */
  target_session_ref: Type.Optional(ResourceRef),
  message: Type.String({ minLength: 1, maxLength: DISPATCH_MESSAGE_BYTES_MAX }),
  work_chain_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  idempotency_key: Type.String({ minLength: 1, maxLength: 256 }),
});
/**
 * A person has ended that handoff. What nobody can have typed yet is never given to a browser any more, also when the request
 * to deliver it arrives only after this one. Answered with the dispatch as it stands then. Repeating it changes nothing.
 */
export const HandoffEnd = Type.Object(
  {
    ...HandoffDeliver.properties,
    operation: Type.Literal('handoff.end'),
    /** Where it is known; it may have been begun under another key. */
    dispatch_id: Type.Optional(DispatchId),
  },
  closed,
);
/**
 * The browser has cut over: the message was seen in the new chat. A dispatch that was uncertain is proved by it, and the
 * unacknowledged tasks of the source belong to the new chat from now on. Repeating it changes nothing.
 */
export const HandoffCommit = operation('handoff.commit', {
  endpoint_ref: EndpointRef,
  dispatch_id: DispatchId,
  source_session_ref: Type.Optional(ResourceRef),
  target_session_ref: ResourceRef,
  accepted_user_message_ref: Type.Optional(MessageRef),
});
/** Looks only: the dispatch as it stands. */
const DispatchObserve = operation('dispatch.observe', { endpoint_ref: EndpointRef, dispatch_id: DispatchId });

export const ActuationRequest = Type.Union([
  ActuationPending,
  ActuationClaim,
  ActuationConfirm,
  ActuationDefer,
  ActuationReport,
  DispatchSettle,
  HandoffDeliver,
  HandoffEnd,
  HandoffCommit,
  DispatchObserve,
]);
export type ActuationRequest = Static<typeof ActuationRequest>;

/** What a browser is asked to do. `message` only where words are sent. */
export interface ActuationCommand {
  protocol: typeof ACTUATION_PROTOCOL;
  actuation_id: string;
  dispatch_id: string;
  operation: Operation;
  provider: string;
  expected_generation: number;
  /** The account that it is for, and for no other. Null: the site names none, which only a person's own handoff may meet. */
  account_ref: string | null;
  /** The chat that is meant; null for a new one. */
  session: { session_ref: string; canonical_url: string } | null;
  /** Where a new chat belongs: the Project's address, or null for none. */
  space: { space_ref: string; canonical_url: string } | null;
  /** The chat beside which a new one stands; its window is the one that the person works in. */
  source_url: string | null;
  message: string | null;
}

export type ActuationAnswer =
  | { ok: true; waiting: readonly string[] }
  | { ok: true; command: ActuationCommand }
  /**
   * `confirmed: false`: it may not be done. It is over and the dispatch says why; or it was confirmed before, `objection` is
   * what stands in the way by now, and the claimant reports that it has not begun.
   */
  | { ok: true; confirmed: boolean; objection?: string; dispatch: DispatchView }
  | { ok: true; moved_tasks: number }
  | { ok: true; dispatch: DispatchView; replayed?: boolean }
  | ActuationFailure;

export type ActuationFailure = Refused<
  /** `actuation_taken`: another claimant has it, or its time is over. Nothing is to be done then. */
  | 'actuation_not_found'
  | 'actuation_taken'
  | 'stale_capability_generation'
  | 'unsupported'
  | 'browser_endpoint_not_found'
  | 'browser_resource_not_found'
  | 'browser_resource_scope_mismatch'
  /** Of a confirmation: another act of this account is under way, ask again. */
  | 'browser_account_busy'
  | 'browser_canonical_url_ambiguous'
  | 'browser_dispatch_not_found'
  | 'browser_dispatch_result_conflict'
  | 'idempotency_key_conflict'
  | 'browser_store_unavailable'
>;
