/** P8: a cut under calls in flight. P9: many callers at once. P10: a large result. All through the whole path. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChaosStage, openChaosStage } from '../chaos/index.ts';
import { callOf, headers, openFloor } from './full-path.ts';
import { compare, median } from './measure.ts';
import { post } from './post.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import { type Row, ratioRow } from './table.ts';

/** Callers of P9. */
const CALLERS = 32;
/** Calls of all callers together in one round of P9. */
const ROUND_CALLS = 640;
const ROUNDS = 5;
/** Calls in flight when P8's socket is cut; how long each takes, in s, so that none is answered before the cut. */
const IN_FLIGHT = 50;
const CALL_S = 0.6;
const CUT_AFTER_MS = 400;
/** The link takes a connection that lived shorter (3 s) for a failure and backs off further; a cut meets a steady one. */
const STEADY_MS = 3_500;
/** P8's bar: the first answer after the cut, in ms. */
const FIRST_ANSWER_MS = 1_500;

/** 32 callers at once, beside the same echo floor with 32 callers; the ratio is of calls a second. */
export async function readWithManyCallers(stage: Stage): Promise<Row> {
  const body = JSON.stringify(callOf('herdr_fs_read', { path: join(stage.repository, SAMPLE_FILE) }));
  const ours = () => post(stage.product.mcpUrl, body, headers(stage.accessToken));
  const floor = await openFloor(stage.stateDir, (await ours()).length);
  try {
    const plain = () => post(floor.url, body, headers('none'));
    await rate(ours);
    await rate(plain);
    const rounds: { ours: number; floor: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await rate(ours) : await rate(plain);
      const second = round % 2 === 0 ? await rate(plain) : await rate(ours);
      rounds.push(round % 2 === 0 ? { ours: first, floor: second } : { ours: second, floor: first });
    }
    const share = median(rounds.map((one) => one.ours / one.floor));
    return {
      id: 'P9',
      what: `herdr_fs_read, whole path, ${CALLERS} callers`,
      beside: `echo floor, ${CALLERS} callers`,
      bar: '≥ 50 % of its calls/s',
      held: share >= 0.5,
      facts: {
        'calls/s': Math.round(median(rounds.map((one) => one.ours))),
        'floor calls/s': Math.round(median(rounds.map((one) => one.floor))),
        share: `${Math.round(share * 100)} %`,
      },
    };
  } finally {
    await floor.close();
  }
}

/** Calls a second while all callers call as fast as they are answered. */
async function rate(call: () => Promise<unknown>): Promise<number> {
  let left = ROUND_CALLS;
  const start = performance.now();
  const caller = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (ROUND_CALLS * 1000) / (performance.now() - start);
}

/** A page of backslashes: each of its 256 KiB is four bytes in JSON within JSON, so that the result has 1 MiB. */
export async function readOneMebibyte(stage: Stage): Promise<Row> {
  const path = join(stage.repository, 'backslashes.txt');
  writeFileSync(path, `${'\\'.repeat(4095)}\n`.repeat(64));
  const args = { path, end_line: 64, max_bytes: 262_144 };
  const body = JSON.stringify(callOf('herdr_fs_read', args));
  const ours = () => post(stage.product.mcpUrl, body, headers(stage.accessToken));
  const { length } = await ours();
  if (length < 1_048_000) throw new Error(`the answer has ${length} bytes only`);
  const floor = await openFloor(stage.stateDir, length);
  try {
    const comparison = await compare({
      ours,
      floor: () => post(floor.url, body, headers('none')),
      calls: 20,
      warmUp: 20,
    });
    return ratioRow(
      { id: 'P10', what: '1 MiB result, whole path', beside: 'echo of the same size' },
      comparison,
      { p50: 2.2 },
      { bytes: length },
    );
  } finally {
    await floor.close();
  }
}

/** Commands run while the link's socket is cut under them; beside it the same without a cut. On a stage with a wire. */
export async function callsUnderACut(): Promise<Row> {
  const stage = await openChaosStage();
  try {
    await inFlight(stage, () => undefined); // the first commands also start what is loaded late
    const cut: Round[] = [];
    const calm: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      calm.push(await inFlight(stage, () => undefined));
      await sleep(STEADY_MS);
      cut.push(await inFlight(stage, () => stage.strike('cut')));
    }
    const lost = cut.reduce((sum, one) => sum + one.lost, 0);
    const worst = Math.max(...cut.map((one) => one.firstMs));
    return {
      id: 'P8',
      what: `socket cut under ${IN_FLIGHT} calls`,
      beside: 'the same without a cut',
      bar: `all answered, first ≤ ${FIRST_ANSWER_MS} ms`,
      held: lost === 0 && worst <= FIRST_ANSWER_MS,
      facts: {
        lost,
        'first answer ms, worst': Math.round(worst),
        median: Math.round(median(cut.map((one) => one.firstMs))),
        'without a cut': Math.round(median(calm.map((one) => one.firstMs))),
      },
    };
  } finally {
    await stage.close();
  }
}

interface Round {
  /** Calls that were not answered with what the command did. */
  lost: number;
  /** From the cut to the first answer, in ms. */
  firstMs: number;
}

/** Starts the calls, cuts while all of them run, and waits for every answer. */
async function inFlight(stage: ChaosStage, cut: () => unknown): Promise<Round> {
  const body = JSON.stringify(callOf('herdr_exec', { workspace: stage.workspace, command: `sleep ${CALL_S}` }));
  const answeredMs: number[] = [];
  const calls = Array.from({ length: IN_FLIGHT }, async () => {
    const answer = await post(stage.mcpUrl, body, headers(stage.accessToken));
    answeredMs.push(performance.now());
    return answer.includes('\\"exit_code\\":0');
  });
  await sleep(CUT_AFTER_MS);
  const cutMs = performance.now();
  cut();
  const answers = await Promise.allSettled(calls);
  return {
    lost: answers.filter((one) => one.status === 'rejected' || !one.value).length,
    firstMs: Math.min(...answeredMs) - cutMs,
  };
}
