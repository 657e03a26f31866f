/** What must be true of a page before it may be reloaded, or a Retry pressed. Unknown is no. Pure. */
import type { Found, PageEvidence, RecoveryAct } from '../../health.ts';
import type { Reason } from '../../messages.ts';
import { RELOAD_COOLDOWN_MS } from './limits.ts';
import type { Context, Health } from './state.ts';

export interface Remedy {
  act: RecoveryAct;
  found: Found;
  /** The site itself says that the turn failed: that a message of ours is in doubt is what this is about. */
  failure: boolean;
  /** One of the page's own levels. */
  level: boolean;
}

/** Why the page must be left alone, by the page itself. Unknown is no. */
export function blockOf({ draft, tool, card, delivering }: PageEvidence): Reason | null {
  if (draft === true) return 'user_typing';
  if (card) return 'card_waiting';
  if (tool === true) return 'turn_in_progress';
  if (draft === null || tool === null) return 'page_unreadable';
  return delivering ? 'wake_in_flight' : null;
}

/** The same, with what the worker knows. */
export function holdOf(
  health: Health,
  evidence: PageEvidence,
  { act, failure }: Remedy,
  context: Context,
): Reason | null {
  const blocked = blockOf(evidence);
  if (blocked !== null) return blocked;
  if (context.backingOff) return 'rate_limited';
  if (context.transferring) return 'transfer_active';
  if (context.doubtful && !failure) return 'delivery_uncertain';
  const cooling = health.reloadedAt !== null && context.now - health.reloadedAt < RELOAD_COOLDOWN_MS;
  return cooling && act !== 'retry' ? 'cooling_down' : null;
}
