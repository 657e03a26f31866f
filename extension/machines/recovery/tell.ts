/** What of a page's evidence the worker must hear. A page that is well says so once, and is silent then. Pure. */
import type { PageEvidence } from '../../health.ts';
import { suspicionOf } from './diagnose.ts';
import { AFTER_RELOAD_MS, TELL_AGAIN_MS } from './limits.ts';

export interface Told {
  /** Something was wrong. */
  trouble: boolean;
  /** The page's own levels, the error, what stands in the way: a change of one of these is told at once. */
  key: string;
  at: number;
}

/** Null: nothing new. */
export function worthTelling(told: Told | null, evidence: PageEvidence, now: number): Told | null {
  if (evidence.loadedMs < AFTER_RELOAD_MS && evidence.error === null) return null;
  // How old a turn is that stood here already, only the worker knows; it hears of it while it may matter.
  const trouble =
    suspicionOf(evidence, evidence.stillMs) !== null ||
    evidence.ui.level === 'high' ||
    evidence.heap.level === 'critical';
  if (!trouble) return told === null || told.trouble ? { trouble, key: '', at: now } : null;
  const { error, pending, streaming, tool, card, draft, delivering, ui, heap } = evidence;
  const key = JSON.stringify([
    error?.kind,
    error?.retry,
    pending,
    streaming,
    tool,
    card,
    draft,
    delivering,
    ui.level,
    heap.level,
  ]);
  if (told !== null && told.key === key && now - told.at < TELL_AGAIN_MS) return null;
  return { trouble, key, at: now };
}
