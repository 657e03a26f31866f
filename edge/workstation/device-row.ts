import type { Link } from './connections.ts';

interface Row extends Record<string, SqlStorageValue> {
  connected_at_ms: number | null;
  closed_at_ms: number | null;
  connections: number;
  revoked_at_ms: number | null;
  suspended: number;
  paused: number;
}

/** What the registry says of a device that is not revoked. */
export interface Standing {
  suspended: boolean;
  paused: boolean;
}

const NOTHING_KNOWN: Row = {
  connected_at_ms: null,
  closed_at_ms: null,
  connections: 0,
  revoked_at_ms: null,
  suspended: 0,
  paused: 0,
};

/** The one row about the device: written when a link comes or goes, never for a ping, a call or a question. */
export class DeviceRow {
  readonly #sql: SqlStorage;
  #row: Row | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#row = sql
      .exec<Row>(
        'SELECT connected_at_ms, closed_at_ms, connections, revoked_at_ms, suspended, paused FROM device WHERE id = 1',
      )
      .toArray()[0];
  }

  get revoked(): boolean {
    return this.#row?.revoked_at_ms != null;
  }

  get standing(): Standing {
    return { suspended: this.#row?.suspended === 1, paused: this.#row?.paused === 1 };
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
    this.#row = { ...this.#known(), connected_at_ms: nowMs, closed_at_ms: null, connections: this.connections + 1 };
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
    this.#row = { ...this.#known(), revoked_at_ms: nowMs };
  }

  /** Writes down what the registry says, if it is news. */
  stand({ suspended, paused }: Standing): void {
    const before = this.standing;
    if (before.suspended === suspended && before.paused === paused) return;
    this.#sql.exec(
      `INSERT INTO device (id, connections, suspended, paused) VALUES (1, 0, ?1, ?2)
       ON CONFLICT (id) DO UPDATE SET suspended = ?1, paused = ?2`,
      Number(suspended),
      Number(paused),
    );
    this.#row = { ...this.#known(), suspended: Number(suspended), paused: Number(paused) };
  }

  #known(): Row {
    return this.#row ?? NOTHING_KNOWN;
  }
}
