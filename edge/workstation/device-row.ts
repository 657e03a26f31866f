import type { Link } from './connections.ts';

interface Row extends Record<string, SqlStorageValue> {
  connected_at_ms: number | null;
  closed_at_ms: number | null;
  connections: number;
  revoked_at_ms: number | null;
}

/** The one row about the device: written when a link comes or goes, never for a ping, a call or a question. */
export class DeviceRow {
  readonly #sql: SqlStorage;
  #row: Row | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#row = sql
      .exec<Row>('SELECT connected_at_ms, closed_at_ms, connections, revoked_at_ms FROM device WHERE id = 1')
      .toArray()[0];
  }

  get revoked(): boolean {
    return this.#row?.revoked_at_ms != null;
  }

  get connections(): number {
    return this.#row?.connections ?? 0;
  }

  /**
   * When a link was last there. One that never closed was there when this object's predecessor died, which is when this
   * instance began: its link is about to come back.
   */
  lastSeenAtMs(bornAtMs: number): number | undefined {
    if (!this.#row || this.#row.connected_at_ms === null) return undefined;
    return this.#row.closed_at_ms ?? bornAtMs;
  }

  connected(link: Link, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO device (id, connected_at_ms, closed_at_ms, close_code, boot_id, link_version, runtime, connections)
       VALUES (1, ?1, NULL, NULL, ?2, ?3, ?4, 1)
       ON CONFLICT (id) DO UPDATE SET connected_at_ms = ?1, closed_at_ms = NULL, close_code = NULL, boot_id = ?2,
         link_version = ?3, runtime = ?4, connections = connections + 1`,
      nowMs,
      link.bootId,
      link.linkVersion,
      link.runtime ? JSON.stringify(link.runtime) : null,
    );
    this.#row = {
      connected_at_ms: nowMs,
      closed_at_ms: null,
      connections: this.connections + 1,
      revoked_at_ms: this.#row?.revoked_at_ms ?? null,
    };
  }

  closed(nowMs: number, code: number): void {
    this.#sql.exec('UPDATE device SET closed_at_ms = ?, close_code = ? WHERE id = 1', nowMs, code);
    if (this.#row) this.#row.closed_at_ms = nowMs;
  }

  /** For ever: nothing clears it. */
  revoke(nowMs: number): void {
    if (this.revoked) return;
    this.#sql.exec(
      `INSERT INTO device (id, connections, revoked_at_ms) VALUES (1, 0, ?1)
       ON CONFLICT (id) DO UPDATE SET revoked_at_ms = ?1`,
      nowMs,
    );
    this.#row = {
      connected_at_ms: this.#row?.connected_at_ms ?? null,
      closed_at_ms: this.#row?.closed_at_ms ?? null,
      connections: this.connections,
      revoked_at_ms: nowMs,
    };
  }
}
