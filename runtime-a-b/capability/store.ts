/** The inventory on disk. It is a cache of evidence: a file that cannot be used is set aside and scanned anew, never trusted. */
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import * as Value from 'typebox/value';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { migrationsFolder, openDatabase } from '../../local/sqlite/index.ts';
import { RECORDS_MAX } from './limits.ts';
import { CapabilityRecord } from './record.ts';

export interface Inventory {
  /** Null before the first scan. */
  scanned_at_ms: number | null;
  records: CapabilityRecord[];
}

export class InventoryStore {
  readonly #database: Database;

  /** Throws a `LocalError` for a file that cannot be used. */
  constructor(file: string) {
    ensurePrivateDir(dirname(file));
    this.#database = openDatabase(file, {
      migrations: migrationsFolder('capability', import.meta.url),
      synchronous: 'normal',
    });
  }

  /** Changes when another process has written. */
  get dataVersion(): unknown {
    return this.#database.pragma('data_version', { simple: true });
  }

  read(): Inventory {
    const scan = this.#database.prepare('SELECT finished_at_ms FROM scans WHERE id = 1').get() as
      | { finished_at_ms: number }
      | undefined;
    const rows = this.#database.prepare('SELECT record_json FROM records ORDER BY agent').all() as {
      record_json: string;
    }[];
    return {
      scanned_at_ms: scan?.finished_at_ms ?? null,
      records: rows.map(({ record_json }) => parse(record_json)).filter((record) => record !== undefined),
    };
  }

  /** Replaces everything: an agent that is no longer there leaves no evidence behind. */
  replace(records: readonly CapabilityRecord[], finishedAtMs: number, deep: boolean): void {
    const insert = this.#database.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?)');
    const write = this.#database.transaction(() => {
      this.#database.exec('DELETE FROM records');
      for (const record of records.slice(0, RECORDS_MAX)) {
        const { agent, fingerprint, probe_level, observed_at_ms } = record;
        insert.run(agent, fingerprint, probe_level, observed_at_ms, JSON.stringify(record));
      }
      this.#database.prepare('INSERT OR REPLACE INTO scans VALUES (1, ?, ?)').run(finishedAtMs, deep ? 1 : 0);
    });
    write.immediate();
  }

  close(): void {
    this.#database.close();
  }
}

function parse(text: string): CapabilityRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(CapabilityRecord, value) ? value : undefined;
  } catch {
    // A damaged row is no evidence.
    return undefined;
  }
}
