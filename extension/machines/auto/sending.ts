/** What became of Auto's own message. Only one that went out, or may have, settles the answer that it was about. Pure. */
import { backOff } from './gates.ts';
import { HELD_MS } from './limits.ts';
import type { Auto, AutoEvent, Sending } from './state.ts';

export function finished(auto: Auto, { delivery, as }: Extract<AutoEvent, { type: 'finished' }>, now: number): Auto {
  const { sending } = auto;
  if (sending === null || sending.delivery !== delivery) return auto;
  const { answer, print, by } = sending;
  // What may have arrived is not tried again, whoever takes it back.
  if (sending.doubtful && as !== 'sent' && as !== 'uncertain') return auto;
  if (as === 'blocked' || as === 'held') return takenBack(auto, by, as, now);
  const { doubtful } = sending;
  const out: Auto = {
    ...auto,
    sending: as === 'uncertain' ? { ...sending, doubtful: true } : null,
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
  // The chat was continued all the same: it counts towards how often Auto does that by itself.
  if (as === 'elsewhere')
    return { ...counted, result: { at: now, why: 'continued_elsewhere', by: 'gate', note: null } };
  return doubtful ? { ...counted, result: { at: now, why: 'continued', by, note: null } } : counted;
}

/** It did not go out and has used nothing up. Behind another message it comes later; only a refusal is a try. */
function takenBack(auto: Auto, by: Sending['by'], as: 'blocked' | 'held', now: number): Auto {
  const goal = by === 'goal' ? { ...auto.goal, continued: Math.max(0, auto.goal.continued - 1) } : auto.goal;
  const back = { ...auto, sending: null, goal };
  if (as === 'held')
    return { ...back, retryAt: now + HELD_MS, result: { at: now, why: 'message_in_flight', by: 'gate', note: null } };
  const pause = backOff(auto);
  const result = { at: now, why: 'send_failed' as const, by: 'gate' as const, note: null };
  return { ...back, retries: auto.retries + 1, retryAt: pause === null ? null : now + pause, result };
}
