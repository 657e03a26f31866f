/**
 * Looks at a generation that calls were just moved to, or are about to be. What it answers is judged at once. An answer that
 * did not come says nothing of it (a busy machine is late for everybody), so it is asked again, and only several in a
 * row count against it. One whose process ended is not this file's to find: the supervisor hears that without asking.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MISSED_LOOKS } from '../limits.ts';
import type { GateResult } from '../observed.ts';
import { askHealth } from './ask.ts';
import { type GateQuestion, runGates } from './gates.ts';
import { linkSays } from './link.ts';

export interface Pace {
  checks: number;
  interval_ms: number;
}

export interface Trouble {
  code: string;
  /** One sentence. */
  reason: string;
}

/** What one look saw. */
export type Look = 'well' | 'missed' | Trouble;

export interface Watch {
  /** Looks that went well, and how many were missed since the last answer. */
  passed: number;
  missed: number;
  trouble?: Trouble;
}

/** What is known after one more look. Pure. */
export function afterLook({ passed, missed }: Watch, look: Look): Watch {
  if (look === 'well') return { passed: passed + 1, missed: 0 };
  if (look !== 'missed') return { passed, missed: 0, trouble: look };
  const now = { passed, missed: missed + 1 };
  if (now.missed < MISSED_LOOKS) return now;
  const reason = `After the switch it gave no answer, ${MISSED_LOOKS} times in a row.`;
  return { ...now, trouble: { code: 'observed_silent', reason } };
}

/** Looks until enough of them went well, or gives why it may not stay; `undefined` also when `signal` ended it. */
export async function watch(question: GateQuestion, pace: Pace, signal: AbortSignal): Promise<Trouble | undefined> {
  let boot: string | undefined;
  let seen: Watch = { passed: 0, missed: 0 };
  while (seen.passed < pace.checks && !seen.trouble && !signal.aborted) {
    await pause(pace, signal);
    const health = await askHealth(question.port);
    boot ??= health?.bootId;
    const look = await judged(question, health?.bootId, boot);
    const refused = look === 'well' && seen.passed + 1 === pace.checks ? await refusal(question) : undefined;
    seen = afterLook(seen, refused ?? look);
  }
  return seen.trouble;
}

/** The gates of a candidate, again while it is only an answer that is missing. */
export async function gated(question: GateQuestion, pace: Pace, signal: AbortSignal): Promise<GateResult[]> {
  for (let asked = 1; ; asked += 1) {
    const { gates, missed } = await runGates(question);
    if (!missed || asked === MISSED_LOOKS || signal.aborted) return gates;
    await pause(pace, signal);
  }
}

const ANOTHER: Trouble = { code: 'observed_restart', reason: 'After the switch its process was another one.' };

async function judged(question: GateQuestion, now: string | undefined, boot: string | undefined): Promise<Look> {
  if (now === undefined) return 'missed';
  if (now !== boot) return ANOTHER;
  const { gates, missed } = await runGates(question);
  if (missed) return 'missed';
  const bad = gates.find(({ ok }) => !ok);
  return bad ? { code: `observed_${bad.gate}`, reason: `After the switch: ${bad.fact}.` } : 'well';
}

/** Of the edge, asked at the last look: the link needs a moment to be told, and to be answered. */
async function refusal({ stateDir }: GateQuestion): Promise<Trouble | undefined> {
  const link = await linkSays(stateDir);
  return link?.state === 'awaiting_promotion' ? { code: 'edge_refuses_contract', reason: link.why } : undefined;
}

/** Cut short when the supervisor ends: it is decided anew then. */
const pause = ({ interval_ms: ms }: Pace, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
