/** The ledger's statements, each prepared once: nothing on a call's way is parsed by SQLite a second time. */
import { and, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm/sql';
import { operations, results, type State } from '../state/index.ts';

const slot = sql.placeholder;
/** `set` takes values or SQL, and a placeholder alone is neither to its types. */
const put = (name: string) => sql`${slot(name)}`;

export function prepareLedger({ orm }: State) {
  const all = () => orm.select().from(operations);
  return {
    byId: all()
      .where(eq(operations.dispatchId, slot('id')))
      .prepare(),
    byKey: all()
      .where(eq(operations.keyDigest, slot('key')))
      .prepare(),
    similar: all()
      .where(
        and(
          eq(operations.principalId, slot('id')),
          eq(operations.tool, slot('tool')),
          eq(operations.argsDigest, slot('digest')),
          gt(operations.receivedAt, slot('after')),
          eq(operations.principalKind, slot('kind')),
          isNull(operations.keyDigest),
          isNull(operations.sameAs),
          or(isNull(operations.delivery), sql`${operations.delivery} <> 'not_delivered'`),
        ),
      )
      .orderBy(desc(operations.receivedAt))
      .limit(1)
      .prepare(),
    insert: orm
      .insert(operations)
      .values({
        dispatchId: slot('dispatchId'),
        principalKind: slot('principalKind'),
        principalId: slot('principalId'),
        principalLabel: slot('principalLabel'),
        tool: slot('tool'),
        method: slot('method'),
        deviceId: slot('deviceId'),
        callerSession: slot('callerSession'),
        argsDigest: slot('argsDigest'),
        keyDigest: slot('keyDigest'),
        target: slot('target'),
        state: 'running',
        generation: slot('generation'),
        bootId: slot('bootId'),
        receivedAt: slot('receivedAt'),
        acknowledgedAt: slot('acknowledgedAt'),
        expiresAt: slot('expiresAt'),
      })
      .prepare(),
    releaseKey: orm
      .update(operations)
      .set({ keyDigest: null })
      .where(eq(operations.dispatchId, slot('id')))
      .prepare(),
    repeat: orm
      .update(operations)
      .set({ sameAs: put('first') })
      .where(eq(operations.dispatchId, slot('id')))
      .prepare(),
    intend: orm
      .update(operations)
      .set({ intended: put('intended') })
      .where(and(eq(operations.dispatchId, slot('id')), eq(operations.state, 'running')))
      .prepare(),
    settle: orm
      .update(operations)
      .set({
        state: put('state'),
        ok: put('ok'),
        code: put('code'),
        delivery: put('delivery'),
        sessionId: put('sessionId'),
        settledAt: put('at'),
      })
      .where(and(eq(operations.dispatchId, slot('id')), eq(operations.state, 'running')))
      .prepare(),
    keep: orm
      .insert(results)
      .values({ dispatchId: slot('id'), body: slot('body') })
      .prepare(),
    body: orm
      .select()
      .from(results)
      .where(eq(results.dispatchId, slot('id')))
      .prepare(),
    lastOf: all()
      .where(and(eq(operations.principalKind, slot('kind')), eq(operations.principalId, slot('id'))))
      .orderBy(desc(operations.receivedAt), desc(operations.dispatchId))
      .limit(slot('count'))
      .prepare(),
    last: all().orderBy(desc(operations.receivedAt), desc(operations.dispatchId)).limit(slot('count')).prepare(),
    unacknowledged: all().where(isNull(operations.acknowledgedAt)).prepare(),
    open: all().where(eq(operations.state, 'running')).prepare(),
    acknowledge: orm
      .update(operations)
      .set({ acknowledgedAt: put('at') })
      .where(and(eq(operations.dispatchId, slot('id')), isNull(operations.acknowledgedAt)))
      .prepare(),
    due: all()
      .where(lt(operations.expiresAt, slot('now')))
      .prepare(),
    drop: orm
      .delete(operations)
      .where(eq(operations.dispatchId, slot('id')))
      .prepare(),
    dropBody: orm
      .delete(results)
      .where(eq(results.dispatchId, slot('id')))
      .prepare(),
  };
}
