/**
 * `npm run chaos [-- --calls N] [-- --seed S]`: mutating calls through the whole product while its processes are killed
 * and its sockets cut at seeded moments. Prints one line per broken promise with its seed; exits 1 when there is one.
 */
import { parseArgs } from 'node:util';
import { runChaos } from '../test/chaos/index.ts';

const { values } = parseArgs({ options: { calls: { type: 'string' }, seed: { type: 'string' } } });
const calls = Number(values.calls ?? 200);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(Number.isInteger(calls) && calls > 0 && Number.isInteger(seed))) {
  throw new Error('--calls and --seed take whole numbers; nothing was started.');
}
console.error(`${calls} calls, seed ${seed}`);
const report = await runChaos({ calls, seed }, (line) => console.error(line));
console.log(`heard ${JSON.stringify(report.heard)}; struck ${JSON.stringify(report.struck)}`);
for (const line of report.broken) console.log(line);
console.log(`${report.broken.length} broken promises in ${calls} calls (seed ${seed})`);
process.exitCode = report.broken.length === 0 ? 0 : 1;
