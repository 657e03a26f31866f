/**
 * Tasks in `state.db`. Two generations may hold the same task: a change names the revision that it was made from and counts
 * only when that still stands, and changes of the driver count only while it is the driver.
 */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, max, ne, or, type SQL, sql } from 'drizzle-orm/sql';
import type { State } from '../state/index.ts';
import { FORGET_AT_ONCE, TASK_TTL_MS } from './limits.ts';
import { SUBMITTING, type TaskRow } from './row.ts';
import { agentTasks, taskDriver } from './schema.ts';

export type NewTask = typeof agentTasks.$inferInsert;

/** One change of one task, made from the row as it was read. */
export interface Change {
  row: TaskRow;
  columns: Partial<TaskRow>;
  /** The task ends with this change. */
  ends?: boolean;
}

export type TaskStore = ReturnType<typeof openTaskStore>;

/** The tasks of a scope, of one workspace or of all. */
const within = (scope: SQL | undefined, ofWorkspace: string | undefined): SQL | undefined =>
  and(scope, ofWorkspace === undefined ? undefined : eq(agentTasks.workspaceId, ofWorkspace));

export function openTaskStore({ orm, database }: State) {
  const immediate = <T>(work: () => T): T => database.transaction(work).immediate();
  const anyOpen = orm
    .select({ taskId: agentTasks.taskId })
    .from(agentTasks)
    .where(isNull(agentTasks.terminalAt))
    .limit(1)
    .prepare();
  const openRows = orm
    .select()
    .from(agentTasks)
    .where(isNull(agentTasks.terminalAt))
    .orderBy(asc(agentTasks.createdAt), asc(agentTasks.taskId))
    .prepare();
  const ended = orm
    .select()
    .from(agentTasks)
    .where(gt(agentTasks.terminalNo, sql.placeholder('after')))
    .orderBy(asc(agentTasks.terminalNo))
    .limit(FORGET_AT_ONCE)
    .prepare();
  const lastNo = orm
    .select({ no: max(agentTasks.terminalNo) })
    .from(agentTasks)
    .prepare();

  const find = (taskId: string): TaskRow | undefined =>
    orm.select().from(agentTasks).where(eq(agentTasks.taskId, taskId)).get();

  /** Writes one change; false when the row has changed since or has ended. */
  function apply({ row, columns, ends }: Change, nowMs: number): boolean {
    const terminalNo = ends ? { terminalNo: (lastNo.get()?.no ?? 0) + 1, terminalAt: nowMs } : {};
    const notify = ends && row.parentKind !== 'none' ? { notificationState: 'pending' } : {};
    const { changes } = orm
      .update(agentTasks)
      .set({ ...columns, ...terminalNo, ...notify, updatedAt: nowMs, revision: row.revision + 1 })
      .where(
        and(
          eq(agentTasks.taskId, row.taskId),
          eq(agentTasks.revision, row.revision),
          ends === undefined ? undefined : isNull(agentTasks.terminalAt),
        ),
      )
      .run();
    return changes === 1;
  }

  /** Whether a task of that terminal is open that is also `so`. */
  const hasOpenOf = (serverKey: string, terminalId: string, so: SQL): boolean =>
    orm
      .select({ taskId: agentTasks.taskId })
      .from(agentTasks)
      .where(
        and(
          isNull(agentTasks.terminalAt),
          eq(agentTasks.serverKey, serverKey),
          eq(agentTasks.terminalId, terminalId),
          so,
        ),
      )
      .limit(1)
      .get() !== undefined;

  const isDriver = (bootId: string) => orm.select().from(taskDriver).get()?.bootId === bootId;

  return {
    find,
    insert: (task: NewTask) => void orm.insert(agentTasks).values(task).run(),
    /** Forgets a task whose prompt was certainly not sent. */
    drop: (taskId: string) =>
      void orm
        .delete(agentTasks)
        .where(and(eq(agentTasks.taskId, taskId), eq(agentTasks.lifecycle, SUBMITTING)))
        .run(),
    /** A change by whoever dispatches. */
    change: (made: Change, nowMs: number) => immediate(() => apply(made, nowMs)),
    /** Changes of the driver, all in one transaction; none when it is not the driver any more. Gives those that counted. */
    drive: (bootId: string, made: readonly Change[], nowMs: number): Change[] =>
      immediate(() => (isDriver(bootId) ? made.filter((one) => apply(one, nowMs)) : [])),
    hasOpen: () => anyOpen.get() !== undefined,
    open: (): TaskRow[] => openRows.all(),
    /** Whether an earlier task of that terminal is open. */
    hasEarlier: (serverKey: string, terminalId: string, taskId: string): boolean =>
      hasOpenOf(serverKey, terminalId, ne(agentTasks.taskId, taskId)),
    /** Whether a task of that terminal is running, as far as is known. */
    isRunning: (serverKey: string, terminalId: string): boolean =>
      hasOpenOf(serverKey, terminalId, eq(agentTasks.lifecycle, 'running')),
    /** Tasks that ended after the n-th one, in order. */
    endedAfter: (after: number): TaskRow[] => ended.all({ after }),
    lastNo: () => lastNo.get()?.no ?? 0,

    /** Takes the tasks over when nobody else drives them; `mayTake` judges the process that does. */
    takeDriver: (bootId: string, nowMs: number, mayTake: (bootId: string, renewedAt: number) => boolean): boolean => {
      const now = orm.select().from(taskDriver).get();
      if (now?.bootId === bootId) return true;
      if (now && !mayTake(now.bootId, now.renewedAt)) return false;
      return immediate(() => {
        const row = orm.select().from(taskDriver).get();
        if (row && row.bootId !== bootId && !mayTake(row.bootId, row.renewedAt)) return false;
        orm
          .insert(taskDriver)
          .values({ id: 1, bootId, renewedAt: nowMs })
          .onConflictDoUpdate({ target: taskDriver.id, set: { bootId, renewedAt: nowMs } })
          .run();
        return true;
      });
    },
    renewDriver: (bootId: string, nowMs: number) =>
      void orm.update(taskDriver).set({ renewedAt: nowMs }).where(eq(taskDriver.bootId, bootId)).run(),
    releaseDriver: (bootId: string) => void orm.delete(taskDriver).where(eq(taskDriver.bootId, bootId)).run(),

    /** Tasks within a scope, open ones and ended ones that fit; the worst first, then the newest. */
    list: (scope: SQL | undefined, ofWorkspace: string | undefined, limit: number, acknowledged: boolean): TaskRow[] =>
      orm
        .select()
        .from(agentTasks)
        .where(
          and(
            within(scope, ofWorkspace),
            isNotNull(agentTasks.terminalAt),
            acknowledged ? undefined : isNull(agentTasks.acknowledgedAt),
          ),
        )
        .orderBy(
          sql`CASE lifecycle WHEN 'failed' THEN 0 WHEN 'delivery_uncertain' THEN 1 WHEN 'blocked' THEN 2 ELSE 3 END`,
          desc(agentTasks.terminalNo),
        )
        .limit(limit)
        .all(),
    openOf: (scope: SQL | undefined, ofWorkspace: string | undefined): TaskRow[] =>
      orm
        .select()
        .from(agentTasks)
        .where(and(within(scope, ofWorkspace), isNull(agentTasks.terminalAt), ne(agentTasks.lifecycle, SUBMITTING)))
        .orderBy(desc(agentTasks.createdAt))
        .all(),
    /** How many ended and unacknowledged tasks there are of each lifecycle. */
    counts: (scope: SQL | undefined, ofWorkspace: string | undefined): Map<string, number> =>
      new Map(
        orm
          .select({ lifecycle: agentTasks.lifecycle, count: sql<number>`count(*)` })
          .from(agentTasks)
          .where(and(within(scope, ofWorkspace), isNotNull(agentTasks.terminalAt), isNull(agentTasks.acknowledgedAt)))
          .groupBy(agentTasks.lifecycle)
          .all()
          .map(({ lifecycle, count }) => [lifecycle, count]),
      ),

    /** Ended tasks whose local parent has not been told, the oldest end first. */
    untold: (): TaskRow[] =>
      orm
        .select()
        .from(agentTasks)
        .where(
          and(
            or(eq(agentTasks.notificationState, 'pending'), eq(agentTasks.notificationState, 'in_flight')),
            eq(agentTasks.parentKind, 'agent'),
            isNotNull(agentTasks.terminalAt),
          ),
        )
        .orderBy(asc(agentTasks.terminalNo))
        .all(),
    /**
     * Writes down that these tasks travel in this wake, before it is sent. Gives the tasks that really do: all or none, and
     * none when another process drives.
     */
    claimWake: (bootId: string, taskIds: readonly string[], wakeDispatchId: string, nowMs: number): boolean =>
      immediate(() => {
        if (!isDriver(bootId)) return false;
        const pending = and(
          inArray(agentTasks.taskId, [...taskIds]),
          eq(agentTasks.notificationState, 'pending'),
          isNull(agentTasks.acknowledgedAt),
        );
        const count = orm.select({ count: sql<number>`count(*)` }).from(agentTasks).where(pending).get()?.count;
        if (count !== taskIds.length) return false;
        orm
          .update(agentTasks)
          .set({
            notificationState: 'in_flight',
            notificationAttempts: sql`notification_attempts + 1`,
            notificationAt: nowMs,
            wakeDispatchId,
            updatedAt: nowMs,
            revision: sql`revision + 1`,
          })
          .where(pending)
          .run();
        return true;
      }),
    /** What became of a wake. A task that was acknowledged meanwhile stays so. */
    settleWake: (
      wakeDispatchId: string,
      outcome: 'delivered' | 'uncertain' | 'pending',
      error: string | null,
      nowMs: number,
    ): void => {
      orm
        .update(agentTasks)
        .set({
          notificationState: outcome,
          notificationError: error,
          notificationAt: nowMs,
          ...(outcome === 'pending' ? { wakeDispatchId: null } : {}),
          updatedAt: nowMs,
          revision: sql`revision + 1`,
        })
        .where(and(eq(agentTasks.wakeDispatchId, wakeDispatchId), eq(agentTasks.notificationState, 'in_flight')))
        .run();
    },
    noteWakeTrouble: (taskIds: readonly string[], error: string, nowMs: number): void => {
      orm
        .update(agentTasks)
        .set({ notificationError: error, notificationAt: nowMs })
        .where(and(inArray(agentTasks.taskId, [...taskIds]), eq(agentTasks.notificationState, 'pending')))
        .run();
    },

    /** Acknowledges an ended task; false when it was before. */
    acknowledge: (taskId: string, nowMs: number): boolean =>
      orm
        .update(agentTasks)
        .set({
          acknowledgedAt: nowMs,
          notificationState: 'acknowledged',
          updatedAt: nowMs,
          revision: sql`revision + 1`,
        })
        .where(and(eq(agentTasks.taskId, taskId), isNull(agentTasks.acknowledgedAt), isNotNull(agentTasks.terminalAt)))
        .run().changes === 1,

    /** Deletes ended tasks past their time, a bounded number at once; never the last one, from which the next is counted. */
    forget: (nowMs: number): void => {
      const due = orm
        .select({ taskId: agentTasks.taskId })
        .from(agentTasks)
        .where(and(lt(agentTasks.terminalAt, nowMs - TASK_TTL_MS), lt(agentTasks.terminalNo, lastNo.get()?.no ?? 0)))
        .limit(FORGET_AT_ONCE)
        .all();
      if (due.length === 0) return;
      const ids = due.map(({ taskId }) => taskId);
      orm.delete(agentTasks).where(inArray(agentTasks.taskId, ids)).run();
    },
  };
}
