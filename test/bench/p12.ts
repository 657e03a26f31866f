/**
 * P12: `continuity.resume` and `work_memory.search` with 1,000,000 turns in the journal, beside the same at 1,000. Both
 * journals have the same shape: one long chain with nine tenths of the turns, and ten thousand times fewer or as many
 * small chains beside it. The same questions have the same number of answers in both. What is timed is the method with the serialising of its answer, in this process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Continuity, openContinuity } from '../../runtime-a-b/continuity/index.ts';
import { openState, type State } from '../../runtime-a-b/state/index.ts';
import { compare } from './measure.ts';
import { type Row, ratioRow } from './table.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
/** Turns written in one transaction while a journal is filled. */
const BATCH = 10_000;
/** The last turns are appended one by one, as they come in life: the index of either journal ends in the same small pieces. */
const APPENDED_ALONE = 500;
const BAR = { p50: 2 };

const partition = { project_ref: 'bench', repo_id: 'github.com/o/r', work_chain_id: 'long' };
const session = { provider: 'claude', session_ref: 's' };

const WORDS =
  'parser lexer branch commit test failure retry socket 検索 続き 会話 記録 workspace pane agent turn'.split(' ');

interface Filled {
  state: State;
  call(method: string, params: Record<string, unknown>): Promise<string>;
  bytesPerTurn: number;
}

/** A journal of that many turns; every turn holds `common`, `rare` stands in 13 of them, and no two are alike. */
async function fill(dir: string, turns: number): Promise<Filled> {
  const state = openState(dir);
  // Filling is not what is measured; the durability of the file matters to nobody here.
  state.database.pragma('synchronous = OFF');
  const continuity = openContinuity(state);
  const call = caller(continuity);
  const bound = JSON.parse(await call('work_memory.bind', { ...partition, ...session })) as { continuity_id: string };
  const long = continuity.journal.chains.byId(bound.continuity_id);
  if (!long) throw new Error('the chain was not made');
  const small = Array.from({ length: Math.max(1, turns / 10_000) }, (_, i) =>
    continuity.journal.chains.insert({
      continuityId: `hc:small:${i}`,
      title: `chain ${i}`,
      provider: 'chatgpt',
      projectId: '',
      status: 'active',
      partition: { projectRef: 'bench', repoId: 'github.com/o/r', workChainId: `small-${i}` },
      createdAt: i,
      updatedAt: i,
    }),
  );
  let bytes = 0;
  const { entries } = continuity.journal;
  const write = state.database.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const chain = i % 10 === 0 ? small[(i / 10) % small.length] : long;
      const text = textOf(i, turns);
      bytes += Buffer.byteLength(text);
      entries.appendTurn({
        chainNo: chain?.chainNo ?? long.chainNo,
        messageId: `m${i}`,
        role: i % 2 === 0 ? 'user' : 'assistant',
        text,
        observedAt: i,
        recordedAt: i,
      });
    }
  });
  const alone = turns - APPENDED_ALONE;
  for (let from = 0; from < alone; from += BATCH) write(from, Math.min(alone, from + BATCH));
  for (let from = alone; from < turns; from++) write(from, from + 1);
  await call('work_memory.checkpoint.put', {
    ...partition,
    expected_checkpoint_revision: 0,
    summary: 'All of it, in short.',
    checkpoint_json: JSON.stringify({ goal: 'measure', open: ['nothing'] }),
    through_message_id: `m${turns - 9}`,
  });
  state.database.pragma('wal_checkpoint(TRUNCATE)');
  state.database.pragma('synchronous = FULL');
  return { state, call, bytesPerTurn: Math.round(bytes / turns) };
}

function textOf(i: number, turns: number): string {
  const words = Array.from({ length: 24 }, (_, k) => WORDS[(i * 7 + k * k + Math.floor(i / 13)) % WORDS.length]);
  return `common turn number${i} ${words.join(' ')}${i % Math.floor(turns / 13) === 7 ? ' rare' : ''}。会話を続ける`;
}

function caller({ methods }: Continuity) {
  let dispatches = 0;
  return async (name: string, params: Record<string, unknown>): Promise<string> => {
    const method = methods[name];
    if (!method) throw new Error(`no method ${name}`);
    const answer = await method.run(params, {
      dispatchId: `d_${++dispatches}`,
      principal: { kind: 'local', id: 'bench' },
      deviceId: 'dev_bench',
      nowMs: () => Date.now(),
      live: { view: () => ({ server: undefined }) },
    });
    return JSON.stringify({ ok: true, ...answer });
  };
}

const CASES: readonly [string, string, Record<string, unknown>][] = [
  ['continuity.resume of the long chain', 'continuity.resume', { continuity_id: '' }],
  ['work_memory.search, a word in every turn', 'work_memory.search', { ...partition, query: 'common' }],
  ['work_memory.search, a word in 13 turns', 'work_memory.search', { ...partition, query: 'rare' }],
  ['work_memory.search, Japanese inside sentences', 'work_memory.search', { ...partition, query: '会話を続' }],
  ['work_memory.search, two words', 'work_memory.search', { ...partition, query: 'parser 検索' }],
  [
    'work_memory.search in a small chain',
    'work_memory.search',
    { ...partition, work_chain_id: 'small-0', query: 'common' },
  ],
];

/** The rows of P12. Builds both journals first, which takes about two minutes. */
export async function rows(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'hm-bench-p12-'));
  const started = performance.now();
  const small = await fill(join(dir, 'small'), SMALL);
  const large = await fill(join(dir, 'large'), LARGE);
  const seconds = Math.round((performance.now() - started) / 1000);
  try {
    const result: Row[] = [];
    for (const [what, method, params] of CASES) {
      const [ours, floor] = await Promise.all([large, small].map((journal) => probe(journal, method, params)));
      if (!ours || !floor) throw new Error('a probe is missing');
      const comparison = await compare({ ours, floor, rounds: 7, calls: 60, warmUp: 60 });
      result.push(
        ratioRow({ id: 'P12', what, beside: `the same at ${SMALL} turns` }, comparison, BAR, {
          turns: LARGE,
          bytes_per_turn: large.bytesPerTurn,
          filled_in_s: seconds,
        }),
      );
    }
    return result;
  } finally {
    small.state.close();
    large.state.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function probe(journal: Filled, method: string, params: Record<string, unknown>) {
  const id = (JSON.parse(await journal.call('work_memory.bind', partition)) as { continuity_id: string }).continuity_id;
  const given = 'continuity_id' in params ? { ...params, continuity_id: id } : params;
  return () => journal.call(method, given);
}
