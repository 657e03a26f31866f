/** Whether a tab that nobody needs any more may be closed. Never over words, and never under a person. Pure. */
import type { TabOutcome } from '../../../contract/browser/dispatch.ts';
import type { Reason } from '../../messages.ts';

export interface LeftTab {
  /** It shows the page that it was to be left at. */
  atHome: boolean;
  /** Why its page would not be left as it is; null: it is empty and quiet. */
  objection: Reason | null;
  /** A person has clicked or typed in this document. */
  touched: boolean;
  /** We opened it for this one act. */
  opened: boolean;
  /** It is the one in front of its window. */
  active: boolean;
  pinned: boolean;
  /** No other tab is in its window, which would be closed with it. */
  last: boolean;
}

/** `wait`: it may come to be closed in a moment. */
export function leftTab({ atHome, objection, touched, opened, active, pinned, last }: LeftTab): TabOutcome | 'wait' {
  if (!atHome) return 'wait';
  if (objection === 'user_typing') return 'kept_draft';
  if (objection === 'card_waiting' || objection === 'turn_in_progress') return 'kept_in_use';
  if (objection !== null) return 'wait';
  if (pinned) return 'kept_pinned';
  if (active && (touched || !opened)) return 'kept_in_use';
  return last ? 'kept_last_tab' : 'closed';
}
