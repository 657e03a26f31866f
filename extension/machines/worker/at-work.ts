/** What is known of the work in one bound workspace. Plain values. */
import type { WorkspaceStatus } from '../../messages.ts';

export interface Activity {
  status: WorkspaceStatus;
  /** Panes whose agent works, as far as confirmed. */
  working: readonly string[];
  /** The last settle that was handled, by pane: Herdr's sequence, or `t:<time>`. */
  handled: Readonly<Record<string, string>>;
  /** Work that settled and that the conversation has not been told of. */
  pending: Pending | null;
  progress: Progress;
}

export interface Pending {
  /** Grows by one with each settle that joins. */
  count: number;
  at: number;
  panes: readonly { pane: string; name: string; status: string; settle?: string }[];
  /** Found at a reconnect, not heard as it happened. */
  missed: boolean;
  /** Not before then: the page refused a moment ago. */
  notBefore: number;
  /** The message about it was submitted and never seen: a person decides. */
  uncertain: boolean;
}

export interface Progress {
  /** When the output was last looked at. */
  checkedAt: number;
  /** When a progress message last went out, in this round; null: none in this round. */
  sentAt: number | null;
  /** Of the output that was last sent, across rounds. */
  fingerprint: string | null;
  /** What began the round, as every browser names it; absent where it is known only here. */
  round?: string;
}

export const IDLE: Activity = {
  status: 'unknown',
  working: [],
  handled: {},
  pending: null,
  progress: { checkedAt: 0, sentAt: null, fingerprint: null },
};
