/**
 * One message, or one other act, on its way into a web chat: a dispatch. The runtime writes it down before anybody hears of
 * it, gives it to one browser once, and judges what comes back by the postcondition of its operation. HUD, command line and
 * planner use this one service; nothing else puts words into a chat for them.
 */

const DELIVERY_STATES = [
  'applied',
  'not_applied',
  'uncertain',
  'rejected',
  'browser_offline',
  'resource_unavailable',
  'stopped',
] as const;
/**
 * What is proved of the act itself, never of the work behind it. `applied`: its postcondition was seen. `uncertain`: it
 * may have happened, or may still happen; it is looked up, never repeated. `not_applied`: nothing was pressed. `rejected`:
 * the page or a person's draft stood in the way. `browser_offline`: no browser took it and none will any more.
 * `resource_unavailable`: the chat, Project or account is not there. `stopped`: it was withdrawn before a browser took it.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const EXECUTION_STATES = ['queued', 'submitted', 'generating', 'settled', 'stopped', 'failed'] as const;
/** How far it has come. `queued`: no browser has it yet. `submitted`: a browser has it. `settled`: the answer is complete. */
export type ExecutionState = (typeof EXECUTION_STATES)[number];

export const OPERATIONS = [
  'session.create',
  'session.open',
  'session.archive',
  'composer.submit',
  'generation.stop',
] as const;
/** What a browser can be asked to do; each is also the name of the capability that it needs. */
export type Operation = (typeof OPERATIONS)[number];

export const TAB_OUTCOMES = [
  'closed',
  'gone',
  'kept',
  'kept_home_not_seen',
  'kept_draft',
  'kept_in_use',
  'kept_pinned',
  'kept_last_tab',
] as const;
/**
 * What became of the tab in which a chat was archived. `closed`: the Project's home was seen in it, empty and in nobody's
 * use. `gone`: it was not there any more when it was looked for. `kept`: a chat in no Project leaves its tab. The others
 * say why the tab of a Project stayed: its home did not come up, words stand there, a person has it in front, it is pinned,
 * it is the last one of its window.
 */
export type TabOutcome = (typeof TAB_OUTCOMES)[number];

/** Deliveries that are certain not to have happened: the same message may be offered to a person then. */
export const PROVED_UNDELIVERED: ReadonlySet<DeliveryState> = new Set([
  'not_applied',
  'rejected',
  'browser_offline',
  'resource_unavailable',
  'stopped',
]);

/** A dispatch as everybody sees it. Times are ms since 1970. Words are not in it. */
export interface DispatchView {
  dispatch_id: string;
  operation: Operation;
  endpoint_ref: string;
  provider: string;
  account_ref: string | null;
  space_ref: string | null;
  /** The conversation that it is for; for `session.create` the one that it made, once that is proved. */
  session_ref: string | null;
  delivery_state: DeliveryState;
  execution_state: ExecutionState;
  /** Why, in one snake_case word; null while nothing speaks against it. */
  reason: string | null;
  expected_generation: number;
  canonical_url: string | null;
  /** Of an archive that was seen to happen; null otherwise, and where the browser does not say. */
  tab_outcome: TabOutcome | null;
  /** The site's own id of the user turn that was accepted, or a digest where the site shows none. */
  accepted_user_message_ref: string | null;
  /** A pointer, never the text: `herdr_mcp.browser_dispatch.result` reads that. Null until the answer is complete. */
  result: { assistant_message_ref: string; sha256: string; chars: number; settled_at_ms: number } | null;
  work_chain_id: string | null;
  message_sha256: string | null;
  created_at_ms: number;
  updated_at_ms: number;
}

/**
 * Members of an answer to a mutation, beside `ok`. `ok` is true only for `applied`; otherwise the same members stand beside
 * `code` (`delivery_uncertain` or `browser_not_delivered`), `delivery` and `next`.
 */
export interface DispatchAnswer extends DispatchView {
  /** The same key was used before: this is that dispatch as it stands now, nothing was sent. */
  replayed: boolean;
}
