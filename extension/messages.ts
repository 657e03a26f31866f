/**
 * What the service worker, the page scripts and our own pages say to each other. Every message carries the version of
 * whoever speaks and, from a page, which document and which conversation it speaks for; a message of another version or
 * for another conversation changes nothing. Types only: nothing here runs.
 */
import type { Delivery } from './delivery.ts';
import type { PageEvidence, RecoveryOrder, ServerEvidence } from './health.ts';
import type { SeenTurn as SeenLength } from './machines/pressure/index.ts';
import type { PageIdentity } from './page.ts';
import type { Reason } from './reason.ts';
import type {
  Action,
  ActionDone,
  BridgeControl,
  BridgeTurn,
  HudState,
  PressOrder,
  QueueView,
  SignedInHere,
} from './shown.ts';

export type * from './delivery.ts';
export type * from './reason.ts';
export type * from './shown.ts';

/** Raised when a message changes so that an older page script would misread it. */
export const PROTOCOL = 1;

export interface FromPage<K extends keyof PageAsks = keyof PageAsks> {
  herdr: typeof PROTOCOL;
  to: 'worker';
  /** The extension's version as the page script was built with it. */
  version: string;
  /** Made anew by each page script that starts: a reloaded tab is another document. */
  document: string;
  page: PageIdentity;
  kind: K;
  body: PageAsks[K]['ask'];
}

export interface FromWorker<K extends keyof WorkerAsks = keyof WorkerAsks> {
  herdr: typeof PROTOCOL;
  to: 'page';
  version: string;
  /** The conversation that is meant; null where every page of the tab is. The page refuses when it shows another. */
  conversation: string | null;
  kind: K;
  body: WorkerAsks[K]['ask'];
}

/** How every question is answered. `reason` is a word of the closed list, so that it can be shown in three languages. */
export type Answer<T> = { ok: true; value: T } | { ok: false; reason: Reason };

// ---------------------------------------------------------------- page → worker

export interface PageAsks {
  /** First of all, and again when the place changes. Until the answer is `active` the page script touches nothing. */
  here: { ask: { state: PageState }; answer: Answer<Standing> };
  /** The state that decides whether this tab may be reloaded or written to has changed. */
  state: { ask: { state: PageState }; answer: Answer<null> };
  hud: { ask: null; answer: Answer<HudState> };
  action: { ask: Action; answer: Answer<ActionDone> };
  /** `entry` is one press's own id (`qi:<uuid>`): a press that is repeated because nobody answered adds nothing twice. */
  'queue.add': { ask: { text: string; entry: string }; answer: Answer<QueueView> };
  'queue.flush': { ask: null; answer: Answer<QueueView> };
  'queue.clear': { ask: null; answer: Answer<QueueView> };
  /** A user turn stands in the conversation, whoever wrote it. */
  'turn.accepted': {
    /** `connector`: the keyword of the only connector that the turn names; absent or null when there is none. */
    ask: { user: Turn; submitted: 'person' | 'extension'; connector?: string | null };
    answer: Answer<null>;
  };
  /** The turn is over by all that can be seen; `server` says whether the site's own server agreed. */
  'turn.ended': { ask: { user: Turn | null; assistant: Turn | null; server: boolean }; answer: Answer<null> };
  /**
   * The text is in the composer and everything is ready: may it be submitted? The worker writes that down before it says
   * yes. After anything but `ok` the page takes its text away again and submits nothing.
   */
  'delivery.claim': { ask: { id: string; attempt: number; baseline: Baseline }; answer: Answer<null> };
  /** What became of it. Sent also when the worker that asked has died meanwhile; repeated until it is answered. */
  'delivery.done': { ask: { id: string; attempt: number; outcome: DeliveryOutcome }; answer: Answer<null> };
  /** How the page is, while something is wrong with it, and once after that. */
  health: { ask: { evidence: PageEvidence }; answer: Answer<null> };
  /**
   * The page had agreed to this order and was about to reload itself, and something stood in the way then: it was not done
   * and will not be. Told until it is answered.
   */
  'recover.declined': { ask: { id: string; reason: Reason }; answer: Answer<null> };
  /** The site has answered a request with 429, or says so. */
  'site.refused': { ask: null; answer: Answer<null> };
  /** How long the conversation is: estimates of turns that were not told yet, and how many turns the page names. */
  history: { ask: { turns: readonly SeenLength[]; turnsNamed: number }; answer: Answer<null> };
  /** A person wants to see the options. */
  'options.open': { ask: null; answer: Answer<null> };
  /**
   * JSON bridge: a person sends the first message of a chat that has no address yet. Answered with the text to send
   * instead; `id` is one press's own and becomes the loop's. Asked again for the same press it is the same message.
   */
  'bridge.launch': { ask: { id: string; text: string }; answer: Answer<string> };
  /** That text is in the composer: may it be submitted? Once; written down before `ok`. */
  'bridge.claim': { ask: { id: string }; answer: Answer<null> };
  /** A person sends a message into a chat: kept, and sent with the protocol around it. `loop` names a loop that is new. */
  'bridge.say': { ask: { entry: string; loop: string; text: string }; answer: Answer<null> };
  /** A message of ours stands at the conversation's end, perhaps with a whole reply. Told until it is answered. */
  'bridge.turn': { ask: BridgeTurn; answer: Answer<null> };
  /** The page shows no stable ids of this conversation's messages. */
  'bridge.unnamed': { ask: null; answer: Answer<null> };
  'bridge.control': { ask: { what: BridgeControl }; answer: Answer<HudState> };
}

export type Standing = { owner: 'active'; hud: HudState } | { owner: 'standby'; by: string | null };

export interface PageState {
  /** An answer is being written or a tool runs; null when the page cannot be read. */
  busy: boolean | null;
  /** A person's words stand in the composer; null when it cannot be read. */
  draft: boolean | null;
  /** A permission card waits. */
  card: boolean;
  visible: boolean;
}

export interface Turn {
  /** The site's own message id; null when it gives none, and then the worker derives one from the text. */
  id: string | null;
  text: string;
}

/** What stood in the conversation just before we submitted. */
export interface Baseline {
  /** Ids of the mounted user turns, oldest first. */
  userIds: readonly string[];
  userTurns: number;
}

export type DeliveryOutcome =
  /** A new user turn with our text exists, line by line. */
  | { state: 'sent'; messageId: string | null; url: string }
  /** Certainly not submitted: nothing of ours is left in the page. */
  | { state: 'blocked'; reason: Reason }
  /** Submitted, and no new turn was seen: never repeated. */
  | { state: 'uncertain'; reason: 'no_new_turn' | 'text_changed' | 'page_gone' | 'page_unreadable' };

// ---------------------------------------------------------------- worker → page

export interface WorkerAsks {
  /** Type this and submit it, once. Answered at once; the outcome comes as `delivery.done`. */
  deliver: { ask: Delivery; answer: Answer<null> };
  /** Did a delivery that was submitted arrive? Looks only; the page is not touched. */
  'delivery.probe': {
    ask: { id: string; text: string; baseline: Baseline };
    answer: Answer<{ arrived: 'yes' | 'unknown'; messageId: string | null }>;
  };
  probe: { ask: null; answer: Answer<{ page: PageIdentity; version: string; document: string; state: PageState }> };
  /** The last turn whose answer is complete, as the page shows it; both null when there is none or it cannot be told. */
  turns: { ask: null; answer: Answer<{ page: PageIdentity; user: Turn | null; assistant: Turn | null }> };
  /** The same, the answer only once it is certainly complete, by the site's server or by two looks. `of`: only to these. */
  answer: {
    ask: { of: readonly string[] | null };
    answer: Answer<{ page: PageIdentity; user: Turn | null; assistant: Turn | null }>;
  };
  /** The page's health now, and its site's server's view of it; the server's is null when it could not be asked. */
  'health.examine': { ask: null; answer: Answer<{ evidence: PageEvidence; server: ServerEvidence | null }> };
  /** One safe step, acted on once for each id. Refused: certainly nothing was done. */
  recover: { ask: RecoveryOrder; answer: Answer<null> };
  /**
   * Does a user turn of ours with this mark stand in the conversation? Looks only. `none`: its server shows that no user
   * turn stands there at all.
   */
  'handoff.probe': {
    ask: { mark: string };
    answer: Answer<{ found: 'yes' | 'none' | 'unknown'; messageId: string | null }>;
  };
  /** Who is signed in now. Asked of the site anew each time. */
  account: { ask: { salt: string }; answer: Answer<SignedInHere> };
  /** Whether that chat of this site is archived, by the site's server; null: it does not say. Looks only. */
  archived: { ask: { conversation: string }; answer: Answer<boolean | null> };
  /** Presses one control of the site, once for each id, and looks what comes of it. */
  press: { ask: PressOrder; answer: Answer<{ pressed: boolean; done: boolean; reason: Reason | null }> };
  /** Whether this page could be left as it is, whatever it shows. Looks only. */
  leave: { ask: null; answer: Answer<LeaveLook> };
  'hud.changed': { ask: HudState; answer: Answer<null> };
  standby: { ask: { by: string | null }; answer: Answer<null> };
}

/** `objection`: why it would not be left as it is. `touched`: a person has clicked or typed in this document. */
export interface LeaveLook {
  page: PageIdentity;
  objection: Reason | null;
  touched: boolean;
}
