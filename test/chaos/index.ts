/**
 * Chaos: many mutating calls through the whole product while its processes are killed and its sockets cut, then every
 * answer held against the files. The plan comes from the seed; what the machine makes of it does not repeat exactly.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentOf, fileOf, type Heard, LINES, type LookedUp, lineOf, lookUp, send } from './caller.ts';
import { judge } from './judge.ts';
import { CALLERS, LOOK_MS, SETTLE_MS } from './limits.ts';
import { drawPlan, type PlannedCall } from './plan.ts';
import { type ChaosStage, openChaosStage } from './stage.ts';
import type { ChaosReport } from './table.ts';

export { type ChaosStage, openChaosStage } from './stage.ts';
export { isWell, type Played, portions, renderChaos } from './table.ts';

interface Told {
  call: PlannedCall;
  key: string;
  heard: Heard;
  askedAgain: boolean;
  beganMs: number;
  endedMs: number;
}

/** Plays one run on a stage of its own and judges it. `say` hears how it goes on. */
export async function runChaos(
  { calls, seed }: { calls: number; seed: number },
  say: (line: string) => void = () => undefined,
): Promise<ChaosReport> {
  const plan = drawPlan(calls, seed);
  const stage = await openChaosStage();
  try {
    const struck: ChaosReport['struck'] = {};
    const faults: Promise<void>[] = [];
    const told: Told[] = [];
    const waiting = plan.calls.values();
    const caller = async () => {
      for (const call of waiting) {
        for (const fault of plan.faults.filter(({ afterCall }) => afterCall === call.n)) {
          const strike = () => {
            if (stage.strike(fault.kind)) struck[fault.kind] = (struck[fault.kind] ?? 0) + 1;
          };
          faults.push(sleep(fault.delayMs).then(strike));
        }
        told.push(await one(stage, `chaos-${seed}-${call.n}`, call));
        if (told.length % 100 === 0) say(`${told.length} of ${calls} calls, struck ${JSON.stringify(struck)}`);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await Promise.all(faults);
    await stage.healed();
    return { seed, calls, struck, heard: countHeard(told), broken: await verdicts(stage, told, seed) };
  } finally {
    await stage.close();
  }
}

/**
 * One call. Who heard nothing waits until the edge is back and, if planned so, asks again with its key. Who was told that
 * nothing was delivered waits until everything runs before the next call, or one death would eat the whole plan.
 */
async function one(stage: ChaosStage, key: string, call: PlannedCall): Promise<Told> {
  const beganMs = Date.now();
  const first = await send(stage, key, call);
  if (first.kind === 'nothing') await edgeAnswers(stage);
  else if (first.kind === 'answer' && first.delivery === 'not_delivered') await stage.healed();
  const askedAgain = first.kind === 'nothing' && call.asksAgain;
  const heard = askedAgain ? await send(stage, key, call) : first;
  return { call, key, heard, askedAgain, beganMs, endedMs: Date.now() };
}

async function edgeAnswers(stage: ChaosStage): Promise<void> {
  const health = new URL('/health', stage.mcpUrl);
  const answers = () =>
    fetch(health)
      .then(({ ok }) => ok)
      .catch(() => false); // down is what is waited out
  while (!(await answers())) await sleep(LOOK_MS);
}

async function verdicts(stage: ChaosStage, told: readonly Told[], seed: number): Promise<string[]> {
  const broken: string[] = [];
  for (const { call, key, heard, askedAgain, beganMs, endedMs } of told) {
    const lookedUp = await settled(stage, key);
    // Who heard nothing does not know when its call ended.
    const untilMs = heard.kind === 'answer' ? endedMs : Number.POSITIVE_INFINITY;
    const runtimeKilled = stage.runtimeKills.some((ms) => ms >= beganMs && ms <= untilMs);
    const record = { call, heard, askedAgain, lookedUp, runtimeKilled, times: timesOf(stage.repository, call) };
    broken.push(...judge(record).map((what) => `seed ${seed}: call ${call.n} (${call.kind}): ${what}`));
  }
  return broken;
}

/** What the key says once nothing of it is under way any more, or what it says still when the time for that is over. */
async function settled(stage: ChaosStage, key: string): Promise<LookedUp> {
  const untilMs = Date.now() + SETTLE_MS;
  for (;;) {
    const found = await lookUp(stage, key);
    const open = found.dispatches.some(({ state }) => state === 'running' || state === 'sent');
    if (!open || Date.now() > untilMs) return found;
    await sleep(LOOK_MS);
  }
}

function timesOf(repository: string, call: PlannedCall): number {
  const file = join(repository, call.kind === 'append' ? LINES : fileOf(call));
  if (!existsSync(file)) return 0;
  const text = readFileSync(file, 'utf8');
  if (call.kind === 'write') return text === contentOf(call) ? 1 : -1;
  const line = call.kind === 'append' ? lineOf(call) : 'ran';
  return text.split('\n').filter((each) => each === line).length;
}

function countHeard(told: readonly Told[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { heard } of told) {
    const what = heard.kind === 'answer' ? `${heard.delivery} ${heard.ok ? 'ok' : heard.code}` : heard.kind;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
