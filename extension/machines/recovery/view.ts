/** What a person is told: what was found, what is being done about it, and what stands in the way. Pure. */
import type { Reason } from '../../messages.ts';
import type { Found, Health, Phase } from './state.ts';

export interface RecoveryView {
  phase: Exclude<Phase, 'well'>;
  found: Found;
  /** What would help, is being done, or was done. Both reloads are one thing to a person. */
  act: 'reload' | 'retry' | null;
  hold: Reason | null;
}

export function recoveryView(health: Health | undefined): RecoveryView | null {
  if (health === undefined || health.phase === 'well' || health.found === null) return null;
  const { phase, found, act, hold } = health;
  return { phase, found, act: act === 'tab' ? 'reload' : act, hold };
}
