/** What this browser does for the delivery service: one act each, from its claim to its report. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';

/**
 * `claiming`: the runtime is asked for the command, under a name that was written down first. `opening`: a tab is opened.
 * `loading`: its page is waited for. `sending`: the one delivery machine has the message. `pressing`: the page is asked to
 * press one control. `naming`: the chat's own ref is asked for. `reporting`: what was seen is told until it is answered.
 */
export type Phase = 'claiming' | 'opening' | 'loading' | 'sending' | 'pressing' | 'naming' | 'reporting';

export interface Actuation {
  id: string;
  /** Ours, written down before the claim: whoever asks again under it gets the same command. */
  claimant: string;
  phase: Phase;
  command: ActuationCommand | null;
  tab: number | null;
  openings: number;
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
}

export type ActuationEvent =
  /** Null: it is another's, or over. `unknown`: nobody answered. */
  | { type: 'claimed'; command: ActuationCommand | null | 'unknown'; objection?: string }
  /** Null: no tab could be opened. */
  | { type: 'opened'; tab: number | null }
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
  /** An open tab of the chat that is meant. */
  open: number | null;
  /** The conversation that the tab shows. */
  conversation: string | null;
}

export type ActuationEffect =
  | { type: 'claim'; id: string; claimant: string }
  | { type: 'open'; id: string; command: ActuationCommand }
  | { type: 'show'; tab: number }
  | { type: 'send'; id: string; tab: number; command: ActuationCommand }
  | { type: 'press'; id: string; tab: number; command: ActuationCommand }
  | { type: 'name'; id: string; tab: number; conversation: string; text: string | null }
  | { type: 'report'; id: string; claimant: string; evidence: Evidence };

export interface ActuationStep {
  /** Null: it is over. */
  actuation: Actuation | null;
  effects: readonly ActuationEffect[];
}
