/** What a person is told of a conversation's health. Pure. */
import type { RecoveryView } from '../../health.ts';
import type { Health } from './state.ts';

export function recoveryView(health: Health | undefined): RecoveryView | null {
  if (health === undefined || health.phase === 'well' || health.found === null) return null;
  const { phase, found, act, hold } = health;
  // Both reloads are one thing to a person.
  return { phase, found, act: act === 'tab' ? 'reload' : act, hold };
}
