/** What the bar says of a handoff, from the state alone. Pure. */
import type { HandoffView } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import { transferOf } from './handoff-guards.ts';
import type { State } from './state.ts';

export function handoffView(state: State, page: PageIdentity): HandoffView | null {
  const running = transferOf(state, page);
  if (running !== undefined) {
    const { phase, reason, target } = running;
    return { phase, reason, copy: null, target: target?.conversation ?? null };
  }
  const over = page.conversation === null ? undefined : state.handed[page.conversation];
  if (over === undefined) return null;
  const { as, reason, copy, target } = over;
  return { phase: as, reason, copy, target };
}
