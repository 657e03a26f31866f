/**
 * `npm run bench [-- --check] [-- --row P1] [-- --soak]`: measures every row beside its floor in one run, prints the
 * table and writes bench/latest.json; rows that take half an hour only with `--soak`. Exits 0 whatever it
 * measures; with `--check`, 1 when a bar is missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endConnections, openStage, ROWS, type Row, renderTable } from '../test/bench/index.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, soak: { type: 'boolean' }, row: { type: 'string', multiple: true } },
});

const stage = await openStage();
const rows: Row[] = [];
try {
  for (const { id, measure, soak = false } of ROWS) {
    if (soak && !values.soak) continue;
    if (values.row !== undefined && !values.row.includes(id)) continue;
    console.error(`measuring ${id} …`);
    rows.push(...[await measure(stage)].flat());
  }
} finally {
  endConnections();
  await stage.close();
}

console.log(renderTable(rows));
mkdirSync(new URL('../bench/', import.meta.url), { recursive: true });
writeFileSync(
  new URL('../bench/latest.json', import.meta.url),
  `${JSON.stringify({ measured_at: new Date().toISOString(), node: process.version, rows }, null, 2)}\n`,
);
process.exitCode = values.check && rows.some((row) => !row.held) ? 1 : 0;
