/** The one sentence about a handoff: whole in every phase and language, and true about what may be done by hand. */
import { describe, expect, it } from 'vitest';
import { handoffText } from '../../../extension/handoff-text.ts';
import type { HandoffView, Reason } from '../../../extension/messages.ts';
import { LANGUAGES } from '../../../look/words/index.ts';
import { verifies } from '../../verifies.ts';

const view = (phase: HandoffView['phase'], reason: Reason | null = null, copy: string | null = null): HandoffView => ({
  phase,
  reason,
  copy,
  target: null,
});
const REASONS: readonly Reason[] = [
  'continuity_unavailable',
  'summary_missing',
  'taken_over',
  'delivered_before',
  'delivery_uncertain',
  'not_delivered',
  'no_execution_seen',
  'target_is_source',
  'target_project_mismatch',
  'target_already_bound',
  'binding_changed',
  'auto_off',
];

describe.each(LANGUAGES)('in %s', (language) => {
  it('each phase has a sentence of its own', () => {
    verifies('extension.handoff');
    const phases = ['preparing', 'summarising', 'delivering', 'observing', 'verifying', 'committed'] as const;
    const said = phases.map((phase) => handoffText(language, view(phase)));
    expect(new Set(said).size).toBe(phases.length);
    for (const text of said) expect(text).not.toMatch(/[{}]|undefined/);
  });

  it.each(REASONS)('a failure says why, and whether anything is to be done by hand: %s', (reason) => {
    verifies('extension.handoff');
    const [plain, copied] = [view('failed', reason), view('failed', reason, 'x')].map((one) =>
      handoffText(language, one),
    );
    expect(plain).not.toBe(copied);
    for (const text of [plain, copied]) expect(text).not.toMatch(/[{}]|undefined|why\./);
    expect(handoffText(language, view('uncertain', reason))).not.toMatch(/[{}]|undefined|why\./);
  });
});
