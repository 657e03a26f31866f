/** The one sentence about a handoff, for the bar and for the panel. */
import { type Language, say } from '../look/words/index.ts';
import type { HandoffView } from './messages.ts';

export function handoffText(language: Language, { phase, reason, copy }: HandoffView): string {
  const key = phase === 'failed' && copy !== null ? 'failedCopy' : phase;
  return say(language, 'handoff', `phase.${key}`, {
    why: reason === null ? '' : say(language, 'hud', `why.${reason}`),
  });
}
