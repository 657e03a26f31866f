/** What this browser does for the delivery service: one act each, from its claim to its report. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import type { TabOutcome } from '../../../contract/browser/dispatch.ts';
import type { AccountMark, Reason } from '../../messages.ts';

/**
 * `claiming`: the runtime is asked for the command, under a name that was written down first. `opening`: a tab is opened.
 * `loading`: its page is waited for. `deferring`: the chat is not quiet, and what would end it waits. `checking`: the page
 * is asked who is signed in, and the runtime whether it may begin: until then nothing was typed or pressed. `sending`: the
 * one delivery machine has the message. `pressing`: the page is asked to press one control. `proving`: it was pressed, and
 * what came of it is looked for. `closing`: the chat is archived, and the tab of its Project is put away. `showing`: the tab
 * was brought to the front, and its page has not said yet that it can be seen. `naming`: the chat's own ref is asked for.
 * `reporting`: what was seen is told until it is answered. `doubting`: that a message may have arrived was told; a page may
 * show it yet, and then that is told.
 */
export type Phase =
  | 'claiming'
  | 'opening'
  | 'loading'
  | 'deferring'
  | 'checking'
  | 'sending'
  | 'pressing'
  | 'proving'
  | 'closing'
  | 'showing'
  | 'naming'
  | 'reporting'
  | 'doubting';

export interface Actuation {
  id: string;
  /** Ours, written down before the claim: whoever asks again under it gets the same command. */
  claimant: string;
  phase: Phase;
  command: ActuationCommand | null;
  tab: number | null;
  openings: number;
  /** Who was signed in when it was confirmed, as pages say it to us; null: the command names no account, or not yet. */
  account: AccountMark | null;
  /** Why it waits for the chat to be quiet; told once for each. */
  deferred: Reason | null;
  /** What was seen so far; told whole. */
  evidence: Evidence | null;
  createdAt: number;
  /** When this phase began, and when somebody was last asked for it. */
  since: number;
  askedAt: number;
}

/** An accepted message whose answer is waited for. */
export interface Awaited {
  dispatch: string;
  conversation: string;
  /** The accepted user turn. */
  message: string;
  generation: number;
  since: number;
  /** When its pages were last asked for it. */
  askedAt?: number;
}

export type ActuationEvent =
  /** Null: it is another's, or over. `unknown`: nobody answered. */
  | { type: 'claimed'; command: ActuationCommand | null | 'unknown'; objection?: string }
  /** Null: no tab could be opened. */
  | { type: 'opened'; tab: number | null }
  /**
   * `later`: another act of the account is under way. `over`: it may not be done, and the runtime knows. `refused`: it was
   * allowed to begin, has not, and may not any more.
   */
  | { type: 'checked'; answer: 'confirmed' | 'later' | 'over'; account: AccountMark | null }
  | { type: 'checked'; answer: 'refused'; reason: string; account: null }
  /** Whether what was pressed has come to be; null: nobody can say (yet). */
  | { type: 'proved'; done: boolean | null }
  /** What became of the tab of an archived chat. */
  | { type: 'put_away'; tab: TabOutcome }
  /** What became of the message. `text_changed` and the like stand in `reason`. */
  | {
      type: 'delivered';
      as: 'sent' | 'blocked' | 'uncertain';
      reason: string | null;
      messageId: string | null;
      conversation: string | null;
    }
  /** The page pressed its control, or did not; null: it was asked and has not said. */
  | { type: 'pressed'; pressed: boolean | null; stopped: boolean; reason: string | null }
  /** The chat's own ref, and the id of our turn in it where the site shows none. Null: not known (yet). */
  | { type: 'named'; ref: string | null; generation: number | null; message: string | null }
  /** `told`: the runtime has judged. `over`: it wants nothing of it. Null: nobody answered. */
  | { type: 'reported'; answer: 'told' | 'over' | null }
  /** Time has passed, or a page has changed. */
  | { type: 'look' }
  /** The worker was started again: whatever was asked of somebody is asked again. */
  | { type: 'restarted' };

/** What is around it. */
export interface Facts {
  now: number;
  /** The tab: `ready` to be written to, there but not ready, showing something else, or gone. */
  tab: 'ready' | 'loading' | 'elsewhere' | 'gone';
  /** The open tab of the chat that is meant; `several`: none of them is chosen. */
  open: number | 'several' | null;
  /** The conversation that the tab shows. */
  conversation: string | null;
  /** The tab's page says that a person can see it. */
  visible: boolean;
  /** Why the chat that is meant is not quiet: a turn, a draft, a doubt. Null: it is, or none is meant. */
  unquiet: Reason | null;
}

export type ActuationEffect =
  | { type: 'claim'; id: string; claimant: string }
  | { type: 'open'; id: string; command: ActuationCommand }
  | { type: 'defer'; id: string; claimant: string; reason: Reason }
  | { type: 'check'; id: string; claimant: string; tab: number; command: ActuationCommand }
  | { type: 'show'; tab: number }
  /** `account`: whoever else is signed in by then, nothing is typed or pressed. */
  | { type: 'send'; id: string; tab: number; command: ActuationCommand; account: AccountMark | null }
  | { type: 'press'; id: string; tab: number; command: ActuationCommand; account: AccountMark | null }
  | { type: 'prove'; id: string; tab: number; command: ActuationCommand }
  | { type: 'name'; id: string; tab: number; conversation: string; text: string | null; account: AccountMark | null }
  /** Once it shows its Project's `home`; `opened`: by us, for this. */
  | { type: 'put_away'; id: string; tab: number; home: string; opened: boolean }
  /** The tab that was opened for nothing. */
  | { type: 'close'; tab: number }
  | { type: 'report'; id: string; claimant: string; evidence: Evidence };

export interface ActuationStep {
  /** Null: it is over. */
  actuation: Actuation | null;
  effects: readonly ActuationEffect[];
}
