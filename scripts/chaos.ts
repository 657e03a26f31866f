/**
 * `npm run chaos [-- --calls N] [-- --seed S] [-- --seeds K]`: mutating calls through the whole product while its processes
 * are killed, its generations switched and its sockets cut at seeded moments. N calls are split over K seeds from S on,
 * each on a product of its own. Ends with a table, one line per broken promise with its seed, and 1 when there is one.
 */
import { parseArgs } from 'node:util';
import { isWell, type Played, portions, renderChaos, runChaos } from '../test/chaos/index.ts';

/** A product does not get slower after so many calls, and the next seed meets other moments. */
const CALLS_PER_SEED = 200;

const USAGE = `Usage: npm run chaos -- [--calls N] [--seed S] [--seeds K]

Mutating calls through the whole product while its processes are killed, its generations switched and its sockets cut; then
every answer is held against the files. Ends with a table, one line per broken promise, and 1 when there is one.

  --calls N   how many in all (default ${CALLS_PER_SEED})
  --seed S    the first seed (default: another one each time; the table names it)
  --seeds K   split over so many seeds, each on a product of its own (default: one for each ${CALLS_PER_SEED} calls)

docs/proof.md says how to read it.`;
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { calls: text, seed: text, seeds: text, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const calls = Number(values.calls ?? CALLS_PER_SEED);
const first = Number(values.seed ?? Date.now() % 1_000_000);
const seeds = Number(values.seeds ?? Math.max(1, Math.round(calls / CALLS_PER_SEED)));
if (![calls, first, seeds].every(Number.isInteger) || seeds < 1 || calls < seeds) {
  throw new Error('--calls, --seed and --seeds take whole numbers, and each seed needs a call; nothing was started.');
}
const played: Played[] = [];
for (const portion of portions(calls, seeds, first)) {
  console.error(`seed ${portion.seed}: ${portion.calls} calls`);
  try {
    played.push(await runChaos(portion, (line) => console.error(`  ${line}`)));
  } catch (error) {
    played.push({ ...portion, failed: error instanceof Error ? error.message : String(error) });
  }
}
console.log(renderChaos(played));
process.exitCode = isWell(played) ? 0 : 1;
