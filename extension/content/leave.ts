/** Whether this page could be left as it is: said to the worker right before it closes a tab that nobody needs. */
import type { Answer, LeaveLook, Reason } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';

export interface LeaveParts {
  adapter: SiteAdapter;
  ended: AbortSignal;
  page(): PageIdentity | null;
  isDelivering(): boolean;
}

export function leaveLook(parts: LeaveParts): Answer<LeaveLook> {
  const page = parts.page();
  if (page === null) return { ok: false, reason: 'page_unreadable' };
  // A person's own click or key alone activates; what a script presses does not.
  const touched = navigator.userActivation.hasBeenActive;
  return { ok: true, value: { page, objection: objectionOf(parts), touched } };
}

function objectionOf({ adapter, ended, isDelivering }: LeaveParts): Reason | null {
  if (ended.aborted) return 'extension_reloaded';
  const draft = adapter.draft().found;
  if (draft === null) return 'composer_missing';
  if (draft !== '' || adapter.attached()) return 'user_typing';
  if (adapter.cardWaiting()) return 'card_waiting';
  if (isDelivering()) return 'wake_in_flight';
  const streaming = adapter.streaming().found;
  return streaming === null ? 'page_unreadable' : streaming ? 'turn_in_progress' : null;
}
