/** What became of Auto's own message. Only one that went out, or may have, settles the answer that it was about. Pure. */
import { backOff } from './gates.ts';
import type { Auto, AutoEvent } from './state.ts';

export function finished(auto: Auto, { delivery, as }: Extract<AutoEvent, { type: 'finished' }>, now: number): Auto {
  const { sending } = auto;
  if (sending === null || sending.delivery !== delivery) return auto;
  const { answer, print, by } = sending;
  // What may have arrived is not tried again, whoever takes it back.
  if (as === 'blocked' && sending.doubtful) return auto;
  if (as === 'blocked') {
    const pause = backOff(auto);
    const result = { at: now, why: 'send_failed' as const, by: 'gate' as const, note: null };
    const retryAt = pause === null ? null : now + pause;
    // What did not go out has used nothing up.
    const goal = by === 'goal' ? { ...auto.goal, continued: Math.max(0, auto.goal.continued - 1) } : auto.goal;
    return { ...auto, sending: null, retries: auto.retries + 1, retryAt, goal, result };
  }
  const { doubtful } = sending;
  const out: Auto = {
    ...auto,
    sending: as === 'sent' ? null : { ...sending, doubtful: true },
    sealed: answer,
    retryAt: null,
    nudge: { print, at: now },
    speaker: 'machine',
  };
  // Counted once, whether it is certain at once or only later.
  const counted: Auto = doubtful
    ? out
    : { ...out, nudges: auto.nudges + 1, scripted: by === 'script' ? auto.scripted + 1 : 0 };
  if (as === 'uncertain') return { ...counted, result: { at: now, why: 'send_uncertain', by: 'gate', note: null } };
  return doubtful ? { ...counted, result: { at: now, why: 'continued', by, note: null } } : counted;
}
