import { TOMBSTONE_MS } from '../limits.ts';

/** Revoked connectors, in memory and on disk. Read once when the object wakes, so that a call's check costs nothing. */
export class Tombstones {
  readonly #sql: SqlStorage;
  readonly #ids = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const row of sql.exec<{ connector_id: string }>('SELECT connector_id FROM tombstones')) {
      this.#ids.add(row.connector_id);
    }
  }

  has(connectorId: string): boolean {
    return this.#ids.has(connectorId);
  }

  /** Whether it is new. */
  add(connectorId: string, nowMs: number): boolean {
    if (this.#ids.has(connectorId)) return false;
    this.#sql.exec('INSERT OR IGNORE INTO tombstones (connector_id, revoked_at_ms) VALUES (?, ?)', connectorId, nowMs);
    this.#ids.add(connectorId);
    return true;
  }

  /** Forgets those that every isolate has long forgotten too; whether any is left. */
  sweep(nowMs: number): boolean {
    const limit = nowMs - TOMBSTONE_MS;
    for (const row of this.#sql.exec<{ connector_id: string }>(
      'DELETE FROM tombstones WHERE revoked_at_ms < ? RETURNING connector_id',
      limit,
    )) {
      this.#ids.delete(row.connector_id);
    }
    return this.#ids.size > 0;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#ids.values();
  }
}
