/** Receipts of writes in the object's SQLite. Every statement is a constant text, which workerd keeps prepared. */
import { RECEIPT_TTL_MS } from '../../contract/limits.ts';
import type { Delivery } from '../../contract/outcome.ts';
import type { Receipt, ReceiptQuery } from './types.ts';

export interface NewReceipt {
  dispatchId: string;
  tool: string;
  principalId: string;
  keyDigest: string | undefined;
  argsDigest: string;
  bootId: string;
  connectionId: string;
  runtimeBootId: string | undefined;
  sentAtMs: number;
}

export interface Settlement {
  delivery: Delivery;
  ok: boolean;
  code: string | undefined;
  settledAtMs: number;
  size?: number;
  resultDigest?: string;
}

interface Row extends Record<string, SqlStorageValue> {
  dispatch_id: string;
  tool: string;
  principal_id: string;
  args_digest: string;
  boot_id: string;
  connection_id: string;
  runtime_boot_id: string | null;
  sent_at_ms: number;
  delivery: string | null;
  ok: number | null;
  code: string | null;
  settled_at_ms: number | null;
  size: number | null;
  result_digest: string | null;
}

/** Where a write was last sent. */
export interface SentTo {
  bootId: string;
  connectionId: string;
  /** Absent in receipts of an older edge. */
  runtimeBootId?: string;
}

export interface Sent extends SentTo {
  settled: Delivery | null;
  code: string | null;
}

export class Receipts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Records a write before it is sent. The frame leaves the object only after this row is on disk (output gate). */
  insert(receipt: NewReceipt): void {
    this.#sql.exec(
      'INSERT INTO receipts (dispatch_id, tool, principal_id, key_digest, args_digest, boot_id, connection_id, runtime_boot_id, sent_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      receipt.dispatchId,
      receipt.tool,
      receipt.principalId,
      receipt.keyDigest ?? null,
      receipt.argsDigest,
      receipt.bootId,
      receipt.connectionId,
      receipt.runtimeBootId ?? null,
      receipt.sentAtMs,
    );
  }

  /** The same write goes out again over another connection, because it certainly never arrived over the first. */
  resent(dispatchId: string, { bootId, connectionId, runtimeBootId }: SentTo): void {
    this.#sql.exec(
      'UPDATE receipts SET boot_id = ?, connection_id = ?, runtime_boot_id = ?, delivery = NULL, ok = NULL, code = NULL, settled_at_ms = NULL WHERE dispatch_id = ?',
      bootId,
      connectionId,
      runtimeBootId ?? null,
      dispatchId,
    );
  }

  /** What became of it. `delivered` is final; `unknown` may still be corrected by a result that arrives late. */
  settle(dispatchId: string, settlement: Settlement): void {
    this.#sql.exec(
      "UPDATE receipts SET delivery = ?, ok = ?, code = ?, settled_at_ms = ?, size = ?, result_digest = ? WHERE dispatch_id = ? AND delivery IS NOT 'delivered'",
      settlement.delivery,
      settlement.ok ? 1 : 0,
      settlement.code ?? null,
      settlement.settledAtMs,
      settlement.size ?? null,
      settlement.resultDigest ?? null,
      dispatchId,
    );
  }

  find(dispatchId: string): Sent | undefined {
    const row = this.#sql
      .exec<Row>(
        'SELECT boot_id, connection_id, runtime_boot_id, delivery, code FROM receipts WHERE dispatch_id = ?',
        dispatchId,
      )
      .toArray()[0];
    return row && { ...sentTo(row), settled: row.delivery as Delivery | null, code: row.code };
  }

  /** Writes that were sent and never settled, oldest first. */
  unsettled(): Array<{ dispatchId: string; sentTo: SentTo }> {
    return this.#sql
      .exec<Row>('SELECT dispatch_id, boot_id, connection_id, runtime_boot_id FROM receipts WHERE delivery IS NULL')
      .toArray()
      .map((row) => ({ dispatchId: row.dispatch_id, sentTo: sentTo(row) }));
  }

  /** One principal's receipts that fit the query, newest first. Others' are as if they did not exist. */
  query(query: ReceiptQuery, principalId: string, nowMs: number, limit: number): Receipt[] {
    return this.#select(OF_ONE, [principalId, nowMs - RECEIPT_TTL_MS], query, limit);
  }

  /** Everybody's receipts that fit the query, newest first. */
  queryAll(query: ReceiptQuery, nowMs: number, limit: number): Receipt[] {
    return this.#select(OF_ALL, [nowMs - RECEIPT_TTL_MS], query, limit);
  }

  #select(from: string, of: readonly SqlStorageValue[], query: ReceiptQuery, limit: number): Receipt[] {
    const rows =
      'dispatchId' in query
        ? this.#sql.exec<Row>(`${from} AND dispatch_id = ?`, ...of, query.dispatchId)
        : 'keyDigest' in query
          ? this.#sql.exec<Row>(`${from} AND key_digest = ? ${NEWEST}`, ...of, query.keyDigest, limit)
          : this.#sql.exec<Row>(`${from} ${NEWEST}`, ...of, Math.min(query.last, limit));
    return rows.toArray().map(view);
  }

  /** Deletes what is older than the retention; whether any row is left. */
  sweep(nowMs: number): boolean {
    this.#sql.exec('DELETE FROM receipts WHERE sent_at_ms < ?', nowMs - RECEIPT_TTL_MS);
    return this.#sql.exec('SELECT 1 FROM receipts LIMIT 1').toArray().length > 0;
  }
}

const OF_ONE = 'SELECT * FROM receipts WHERE principal_id = ? AND sent_at_ms >= ?';
const OF_ALL = 'SELECT * FROM receipts WHERE sent_at_ms >= ?';
const NEWEST = 'ORDER BY dispatch_id DESC LIMIT ?';

function sentTo(row: Row): SentTo {
  return {
    bootId: row.boot_id,
    connectionId: row.connection_id,
    ...(row.runtime_boot_id === null ? {} : { runtimeBootId: row.runtime_boot_id }),
  };
}

function view(row: Row): Receipt {
  return {
    dispatch_id: row.dispatch_id,
    tool: row.tool,
    delivery: row.delivery as Delivery | null,
    ok: row.ok === null ? null : row.ok === 1,
    code: row.code,
    sent_at_ms: row.sent_at_ms,
    settled_at_ms: row.settled_at_ms,
    size: row.size,
    args_digest: row.args_digest,
    result_digest: row.result_digest,
  };
}
