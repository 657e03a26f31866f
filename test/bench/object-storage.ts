/** P14: what the Durable Objects write, read from the files that workerd keeps for them. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { callOf, headers } from './full-path.ts';
import { post } from './post.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const CALLS = 50;
/** A settled receipt is written a moment after the answer has left. */
const SETTLING_MS = 2_000;

/** A read leaves the objects' files as they were; a write is a row that is inserted, settled, and later deleted. */
export async function writesOfCalls(stage: Stage): Promise<Row[]> {
  const ask = (tool: string, args: Record<string, unknown>) =>
    post(stage.product.mcpUrl, JSON.stringify(callOf(tool, args)), headers(stage.accessToken));
  const path = join(stage.repository, SAMPLE_FILE);
  await ask('herdr_fs_read', { path }); // the connector's first call of the day is noted
  await sleep(SETTLING_MS);
  const before = storageDigest(stage);
  for (let n = 0; n < CALLS; n++) await ask('herdr_fs_read', { path });
  await sleep(SETTLING_MS);
  const reads = storageDigest(stage) === before;

  const known = receipts(stage);
  for (let n = 0; n < CALLS; n++) {
    await ask('herdr_fs_write', { path: join(stage.repository, 'p14.txt'), content: `${n}\n`, overwrite: true });
  }
  await sleep(SETTLING_MS);
  const now = receipts(stage);
  const inserted = (now.rows - known.rows) / CALLS;
  const settled = (now.settled - known.settled) / CALLS;
  const perWrite = inserted + settled + inserted; // each row is deleted once, by the daily sweep
  return [
    {
      id: 'P14',
      what: `object storage, ${CALLS} reads`,
      beside: '',
      bar: '0 writes',
      held: reads,
      facts: { 'rows changed': reads ? 0 : 'yes' },
    },
    {
      id: 'P14',
      what: 'rows written for a write call',
      beside: '',
      bar: '≤ 3',
      held: inserted > 0 && perWrite <= 3,
      facts: { inserted, settled, 'deleted later': inserted },
    },
  ];
}

/** One digest of every row that the objects keep. The files change without a write, too: closing one folds its log in. */
export function storageDigest(stage: Stage): string {
  const hash = createHash('sha256');
  for (const file of databases(stage)) {
    const database = new Database(file, { readonly: true });
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck();
      for (const name of tables.all() as string[]) {
        const rows = database.prepare(`SELECT * FROM "${name}"`).raw().all();
        hash.update(JSON.stringify([file, name, rows.map((row) => JSON.stringify(row)).sort()]));
      }
    } finally {
      database.close();
    }
  }
  return hash.digest('hex');
}

function receipts(stage: Stage): { rows: number; settled: number } {
  for (const file of databases(stage)) {
    const database = new Database(file, { readonly: true });
    try {
      if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'receipts'").get() === undefined) continue;
      return database.prepare('SELECT count(*) AS rows, count(settled_at_ms) AS settled FROM receipts').get() as {
        rows: number;
        settled: number;
      };
    } finally {
      database.close();
    }
  }
  throw new Error('no object keeps receipts');
}

const databases = (stage: Stage) =>
  filesBelow(join(stage.stateDir, 'edge', 'objects')).filter((name) => name.endsWith('.sqlite'));

function filesBelow(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesBelow(path) : [path];
    });
}
