/** What to send and what to forget after a welcome. Pure. */
import type { FrameOf } from '../../contract/link/index.ts';

export interface Reconciled {
  /** Results that a caller waits for. */
  first: string[];
  /** Results that the edge needs for its receipts, though nobody waits. */
  later: string[];
  /** Nobody needs these any more. */
  forget: string[];
}

/** Holds a hello's list against the welcome that answered it. What still runs is sent when it finishes. */
export function reconcile(
  holds: FrameOf<'hello'>['holds'],
  welcome: Pick<FrameOf<'welcome'>, 'awaited' | 'settled'>,
): Reconciled {
  const settled = new Set(welcome.settled);
  const awaited = new Set(welcome.awaited);
  const finished = holds.filter((hold) => hold.state === 'finished' && !settled.has(hold.dispatch_id));
  const ids = finished.map((hold) => hold.dispatch_id);
  return {
    first: ids.filter((id) => awaited.has(id)),
    later: ids.filter((id) => !awaited.has(id)),
    forget: holds.map((hold) => hold.dispatch_id).filter((id) => settled.has(id)),
  };
}
