/** The page's own faults and their two levels (reference/extension.md 4.10): a reload by the page, then one by the browser. Pure. */
import type { Fault, PageEvidence, ServerEvidence } from '../../health.ts';
import { ASSISTANT_STALL_MS, FAULT_KEPT_MS, LEVEL2_AFTER_MS, WELL_AGAIN_MS } from './limits.ts';
import type { Health } from './state.ts';

/** The fault with the time since which it is there. Well for long enough, it may have both its levels again. */
export function withFault(
  page: Health['page'],
  evidence: PageEvidence,
  server: ServerEvidence | null | undefined,
  now: number,
): Health['page'] {
  const fault = faultOf(page.fault, evidence, server);
  if (fault === page.fault) return page;
  if (fault === null) return { ...page, fault: null, since: 0, wellAt: now };
  const anew = page.fault === null && page.wellAt !== null && now - page.wellAt >= WELL_AGAIN_MS;
  const levels = anew ? { level1At: null, level2At: null } : {};
  return { ...page, ...levels, fault, since: now, wellAt: null };
}

/** A heavy page alone is none: the server must have finished what the page does not show, or the heap must be full and the page quiet. */
function faultOf(
  before: Fault | null,
  { pending, streaming, stillMs, ui, heap }: PageEvidence,
  server: ServerEvidence | null | undefined,
): Fault | null {
  if (stillMs < ASSISTANT_STALL_MS) return null;
  if (ui.level === 'high' && pending) {
    // Between two questions to the server its last word holds.
    const proven = server === undefined ? before === 'render_stall' : server?.finished === 'finished';
    if (proven) return 'render_stall';
  }
  return heap.level === 'critical' && !pending && streaming === false ? 'memory_pressure' : null;
}

/** What may be done about it now. `spent`: both levels were used, and it is still there. */
export function levelFor(health: Health, evidence: PageEvidence, now: number): 'reload' | 'tab' | 'wait' | 'spent' {
  const { fault, since, level1At, level2At } = health.page;
  // Kept by the wall clock and by what the page has watched itself: a clock that jumps makes nothing older.
  const kept = fault === 'render_stall' ? evidence.ui.forMs : evidence.heap.forMs;
  const watched = Math.min(kept, evidence.stillMs - ASSISTANT_STALL_MS);
  if (now - since < FAULT_KEPT_MS || watched < FAULT_KEPT_MS) return 'wait';
  if (level1At === null) return 'reload';
  if (now - level1At < LEVEL2_AFTER_MS || evidence.loadedMs < LEVEL2_AFTER_MS) return 'wait';
  if (level2At === null) return 'tab';
  return now - level2At < LEVEL2_AFTER_MS ? 'wait' : 'spent';
}
