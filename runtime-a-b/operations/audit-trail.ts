/**
 * Writing the audit trail. A write's entry is committed together with its settlement. Reads are gathered and written a
 * little later in one commit, because a commit for each would cost more than the read: a killed process loses those of
 * the last {@link AUDIT_FLUSH_MS}.
 */
import { lt } from 'drizzle-orm/sql';
import { getTableColumns } from 'drizzle-orm/utils';
import type { CallEnvelope } from '../../contract/call.ts';
import { AUDIT_BUFFER, AUDIT_FLUSH_MS, AUDIT_TTL_MS } from '../limits.ts';
import { type AuditEntry, audit, type State } from '../state/index.ts';
import type { Outcome } from './answer.ts';
import type { Operation } from './ledger.ts';
import { targetOf } from './target.ts';

export class AuditTrail {
  readonly #state: State;
  readonly #insert: ReturnType<typeof prepareInsert>;
  #waiting: AuditEntry[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(state: State) {
    this.#state = state;
    this.#insert = prepareInsert(state);
  }

  /** Inside a transaction of the caller's, or on its own. */
  write(entry: AuditEntry): void {
    this.#insert.run({ ...entry, ok: entry.ok ? 1 : 0 });
  }

  /** Soon, together with others. */
  gather(entry: AuditEntry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length >= AUDIT_BUFFER) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), AUDIT_FLUSH_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#waiting;
    if (entries.length === 0) return;
    this.#waiting = [];
    this.#state.database
      .transaction(() => {
        for (const entry of entries) this.write(entry);
      })
      .immediate();
  }

  /** Deletes entries that are older than the trail reaches. */
  forget(nowMs: number): void {
    this.#state.orm
      .delete(audit)
      .where(lt(audit.at, nowMs - AUDIT_TTL_MS))
      .run();
  }
}

/** One entry from a call and what became of it. */
export function auditEntry(
  envelope: CallEnvelope,
  args: Record<string, unknown>,
  outcome: Pick<Outcome, 'ok' | 'code' | 'delivery'>,
  atMs: number,
  durationMs: number,
): AuditEntry {
  return {
    at: atMs,
    dispatchId: envelope.dispatch_id,
    principalKind: envelope.principal.kind,
    principalId: envelope.principal.id,
    principalLabel: envelope.principal.label,
    tool: envelope.tool,
    ...targetOf(envelope.tool, args),
    ok: outcome.ok,
    code: outcome.code,
    delivery: outcome.delivery,
    durationMs: Math.round(durationMs),
  };
}

/** The entry of a call whose process died before it could write one, from what the ledger knows of it. */
export function interruptedEntry(
  operation: Operation,
  outcome: Pick<Outcome, 'ok' | 'code' | 'delivery'>,
  atMs: number,
): AuditEntry {
  const { dispatchId, principalKind, principalId, principalLabel, tool, method, target, receivedAt } = operation;
  return {
    ...{ at: atMs, dispatchId, principalKind, principalId, principalLabel, tool, method, target },
    ...{ ok: outcome.ok, code: outcome.code, delivery: outcome.delivery },
    durationMs: Math.max(0, atMs - receivedAt),
  };
}

/** Straight at SQLite, because every call writes one: drizzle's own prepared insert fills its placeholders anew each time. */
function prepareInsert({ database }: State) {
  const { id: _, ...columns } = getTableColumns(audit);
  const names = Object.values(columns).map(({ name }) => name);
  const values = Object.keys(columns).map((key) => `@${key}`);
  return database.prepare(`INSERT INTO audit (${names.join(', ')}) VALUES (${values.join(', ')})`);
}
