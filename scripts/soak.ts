/**
 * `npm run soak [-- --minutes N] [-- --per-second N] [-- --promote-minutes N]`: mixed load on the whole local product, for
 * an hour by default. Ends with a table of what every process weighed, a verdict for each promise, and 1 when one was not
 * held. Needs /proc, so Linux.
 */
import { parseArgs } from 'node:util';
import { MINUTES, PER_SECOND, PROMOTE_MS, renderSoak, runSoak } from '../test/soak/index.ts';

const USAGE = `Usage: npm run soak -- [--minutes N] [--per-second N] [--promote-minutes N]

Mixed load on the whole local product (default ${MINUTES} minutes, ${PER_SECOND} calls a second, a promotion every ${PROMOTE_MS / 60_000} minutes).
Ends with what every process weighed, a verdict for each promise, and 1 when one was not held. Linux only.

docs/proof.md says what is played and how it is judged.`;
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { minutes: text, 'per-second': text, 'promote-minutes': text, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const minutes = Number(values.minutes ?? MINUTES);
const perSecond = Number(values['per-second'] ?? PER_SECOND);
const promoteMs = values['promote-minutes'] === undefined ? PROMOTE_MS : Number(values['promote-minutes']) * 60_000;
if (process.platform !== 'linux')
  throw new Error('The soak run looks at processes in /proc, so it needs Linux; nothing was started.');
if (![minutes, perSecond, promoteMs].every((one) => one > 0)) {
  throw new Error('--minutes, --per-second and --promote-minutes take numbers above 0; nothing was started.');
}
const { samples, verdicts, counts } = await runSoak({
  minutes,
  perSecond,
  promoteMs,
  say: (line) => console.error(line),
});
console.log(JSON.stringify(counts));
console.log(renderSoak(samples, verdicts));
process.exitCode = verdicts.every(({ held }) => held) ? 0 : 1;
