/** One handoff: a line of work on its way from one conversation to a new one. Until it is committed, the source is the place. */
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import type { Reason } from '../../messages.ts';
import type { ProjectIdentity, SiteId } from '../../page.ts';

/**
 * `preparing`: the runtime makes the message. `summarising`: the source's own model does, or a packet that an earlier transfer
 * has left there is looked for. `delivering`: the delivery service is given it. `observing`: that dispatch is
 * looked at until its browser has told. `verifying`: the new chat's page is asked for the mark. `uncertain`: it may have
 * arrived; a person may look again, and nothing is sent.
 */
export type Phase = 'preparing' | 'summarising' | 'delivering' | 'observing' | 'verifying' | 'uncertain';

export type Trigger = 'manual' | 'context_pressure' | 'goal_handoff' | 'recovery_exhausted' | 'local_agent';

export interface Transfer {
  id: string;
  /** The source. */
  conversation: string;
  projectKey: string | null;
  project: ProjectIdentity | null;
  site: SiteId;
  sourceUrl: string;
  sourceTab: number;
  trigger: Trigger;
  /** The rows that it moves, as they were. */
  rows: readonly { id: string; revision: number }[];
  continuityId: string | null;
  phase: Phase;
  /**
   * Where its words come from. `chain`: the runtime makes them from the recorded chain. `summary`: the source's model was asked
   * to sum itself up. `packet`: an earlier transfer has left a packet in the source, and the chain cannot be resolved.
   */
  words: 'chain' | 'summary' | 'packet';
  /** When the request for a summary went out, or may have. */
  requestedAt: number | null;
  /** Another id than the one that the runtime would mint: that one belongs to an earlier handoff of this chat. */
  handoffId: string | null;
  /** In reserve for that; random. */
  spareId: string;
  message: string | null;
  workChainId: string | null;
  dispatch: string | null;
  /** The new chat, as far as it is known. */
  target: { conversation: string; session: string | null; tab: number | null } | null;
  /** Our message was once more given to the target, after its server proved that it holds none. */
  seededAgain: boolean;
  reason: Reason | null;
  createdAt: number;
  since: number;
  askedAt: number;
}

/** What became of a handoff that is over, by its source. */
export interface Handed {
  as: 'committed' | 'failed';
  reason: Reason | null;
  /** The prepared message, only where it is proved that it was not delivered. */
  copy: string | null;
  target: string | null;
  at: number;
}

/** Work that goes on at the runtime after the commit: its tasks' parent, and the dispatch's proof. Repeated until confirmed. */
export interface Cutover {
  id: string;
  source: string | null;
  target: string;
  targetConversation: string;
  dispatch: string;
  message: string | null;
  askedAt: number;
}

export interface Prepared {
  handoffId: string;
  continuityId: string;
  message: string;
  workChainId: string | null;
}

/** `delivered` answers that hold no word of ours about execution or result prove nothing. */
export type DeliverAnswer =
  | { kind: 'dispatch'; dispatch: DispatchView; replayed: boolean }
  /** It names a dispatch, and nothing else of ours. */
  | { kind: 'named'; dispatch: string }
  | { kind: 'nothing' }
  | { kind: 'refused'; busy: boolean }
  | { kind: 'unanswered' };

export type HandoffEvent =
  /** What became of the message that asks for a summary. */
  | { type: 'requested'; as: 'sent' | 'blocked' | 'uncertain'; reason: Reason | null }
  /** The source's last turn whose answer is complete, as its page shows it; null: none, or it cannot be told now. */
  | { type: 'summary'; turn: { user: string; answer: string } | null }
  | { type: 'prepared'; answer: Prepared | 'refused' | null }
  | { type: 'delivered'; answer: DeliverAnswer }
  /** Another browser begins this chat's successor, has begun it or may have: nothing was given to the service. */
  | { type: 'elsewhere'; as: 'held' | 'sent' | 'uncertain' }
  | { type: 'observed'; dispatch: DispatchView | 'unknown' | null }
  /**
   * What the page of a conversation says. `yes`: a user turn with the mark stands there. `none`: its server shows that no
   * user turn stands there at all.
   */
  | { type: 'verified'; conversation: string; found: 'yes' | 'none' | 'unknown'; message: string | null }
  /** A person wants to know now. */
  | { type: 'resumed' }
  | { type: 'look' }
  | { type: 'restarted' };

export interface HandoffFacts {
  now: number;
  /** An open tab of the source, and whether an answer is being written there; null: not known. */
  sourceTab: number | null;
  sourceBusy: boolean | null;
  /** An open tab of the target, and those of other chats of the same place that may be it. */
  targetTab: number | null;
  candidates: readonly { tab: number; conversation: string }[];
}

export type HandoffEffect =
  | { type: 'prepare'; transfer: Transfer }
  | { type: 'read_summary'; transfer: string; tab: number; conversation: string }
  | { type: 'deliver'; transfer: Transfer }
  | { type: 'observe'; transfer: string; dispatch: string }
  | { type: 'verify'; transfer: string; tab: number; conversation: string; mark: string }
  | { type: 'open_target'; transfer: string; url: string }
  /** A person has ended it: what no browser has begun to do is never to be done. */
  | { type: 'end'; transfer: Transfer };

export type Ended = { as: 'failed'; reason: Reason; copy: boolean } | { as: 'verified'; message: string | null };

export interface HandoffStep {
  transfer: Transfer;
  effects: readonly HandoffEffect[];
  /** Not null: it is over, or may be committed now. */
  ended: Ended | null;
}
