/**
 * The dispatches in `state.db`. Both generations use them at once, so every change is one transaction that names the state
 * which it changes from. What nobody claimed in time ends at the next look: from then on it cannot be claimed any more.
 */
import { and, desc, eq, isNotNull, isNull, lt, ne, type SQL } from 'drizzle-orm/sql';
import type { State } from '../../state/index.ts';
import { browserDispatches, browserSourceTurns } from '../schema.ts';
import { CLAIM_WAIT_MS, CLAIMED_SILENT_MS, CONFIRM_WAIT_MS, DISPATCH_TTL_MS } from './limits.ts';
import { hasEnded, isDeferred, type Row } from './row.ts';

export type NewRow = typeof browserDispatches.$inferInsert;
type Keyed = Pick<Row, 'operation' | 'keySha256'>;

export function openStore(state: State) {
  const { orm, database } = state;
  const table = browserDispatches;
  const inTransaction = <T>(act: () => T): T => database.transaction(act).immediate();

  function expire(now: number): void {
    orm
      .update(table)
      .set({
        deliveryState: 'browser_offline',
        executionState: 'failed',
        reason: 'no_browser_took_it',
        message: null,
        updatedAt: now,
      })
      .where(
        and(eq(table.deliveryState, 'uncertain'), isNull(table.claimant), lt(table.offeredAt, now - CLAIM_WAIT_MS)),
      )
      .run();
    // Taken, and never confirmed: nothing was typed or pressed, and from now on nothing will be.
    orm
      .update(table)
      .set({
        deliveryState: 'browser_offline',
        executionState: 'failed',
        reason: 'browser_fell_silent',
        message: null,
        updatedAt: now,
      })
      .where(
        and(
          eq(table.deliveryState, 'uncertain'),
          isNotNull(table.claimant),
          isNull(table.confirmedAt),
          isNull(table.reportedAt),
          lt(table.claimedAt, now - CONFIRM_WAIT_MS),
        ),
      )
      .run();
  }

  function archivedAt(sessionRef: string): number | null {
    const [last] = orm
      .select()
      .from(table)
      .where(and(eq(table.sessionRef, sessionRef), eq(table.deliveryState, 'applied')))
      .orderBy(desc(table.updatedAt))
      .limit(1)
      .all();
    return last?.operation === 'session.archive' ? last.updatedAt : null;
  }

  const ofKey = ({ operation, keySha256 }: Keyed, where: SQL | undefined): Row | undefined =>
    orm
      .select()
      .from(table)
      .where(and(where, eq(table.operation, operation), eq(table.keySha256, keySha256)))
      .get();

  return {
    inTransaction,
    find(dispatchId: string, now: number): Row | undefined {
      const row = orm.select().from(table).where(eq(table.dispatchId, dispatchId)).get();
      if (row?.deliveryState !== 'uncertain' || row.confirmedAt !== null || row.reportedAt !== null) return row;
      inTransaction(() => expire(now));
      return orm.select().from(table).where(eq(table.dispatchId, dispatchId)).get();
    },
    /** In whichever browser it was: a chat that is open in two of them is one chat. */
    byKey: (given: Keyed & { provider?: string }): Row | undefined =>
      ofKey(given, given.provider === undefined ? undefined : eq(table.provider, given.provider)),
    /** In that browser, on whichever site and in whichever account it lies. */
    byKeyIn: (given: Keyed & Pick<Row, 'endpointRef'>): Row | undefined =>
      ofKey(given, eq(table.endpointRef, given.endpointRef)),
    byActuation(actuationId: string): Row | undefined {
      return orm.select().from(table).where(eq(table.actuationId, actuationId)).get();
    },
    /** Another act of this account that a browser does, or may still take. A stop waits for nobody; what is put off holds nobody. */
    busy(
      given: Pick<Row, 'endpointRef' | 'provider' | 'accountRef'> & { dispatchId?: string },
      now: number,
    ): Row | undefined {
      return orm
        .select()
        .from(table)
        .where(
          and(
            eq(table.endpointRef, given.endpointRef),
            eq(table.provider, given.provider),
            eq(table.accountRef, given.accountRef),
            eq(table.deliveryState, 'uncertain'),
            isNull(table.reportedAt),
            ne(table.operation, 'generation.stop'),
          ),
        )
        .all()
        .filter((row) => row.dispatchId !== given.dispatchId && !isDeferred(row))
        .find((row) => {
          const heardAt = row.confirmedAt ?? row.claimedAt;
          return heardAt === null || now - heardAt < CLAIMED_SILENT_MS;
        });
    },
    waiting(endpointRef: string, now: number): Row[] {
      expire(now);
      return orm
        .select()
        .from(table)
        .where(and(eq(table.endpointRef, endpointRef), eq(table.deliveryState, 'uncertain'), isNull(table.claimant)))
        .orderBy(table.offeredAt)
        .all();
    },
    /** The newest dispatch of a chat whose answer is not complete. */
    unsettledOf(sessionRef: string): Row | undefined {
      return orm
        .select()
        .from(table)
        .where(and(eq(table.sessionRef, sessionRef), eq(table.deliveryState, 'applied'), isNull(table.resultAt)))
        .orderBy(desc(table.createdAt))
        .all()
        .find(({ executionState }) => executionState === 'submitted' || executionState === 'generating');
    },
    /** When an archive of ours was read back; null: never, or something of ours was done there since. */
    archivedAt,
    /** It was archived, and nobody was seen to go on in it. */
    wasArchived(sessionRef: string): boolean {
      const at = archivedAt(sessionRef);
      if (at === null) return false;
      const turn = orm.select().from(browserSourceTurns).where(eq(browserSourceTurns.sessionRef, sessionRef)).get();
      return turn === undefined || turn.startedAt <= at;
    },
    /** Whether that turn is still the newest of its chat, as far as any look at it tells. */
    isCurrentTurn(sessionRef: string, turnSha256: string): boolean {
      const turn = orm.select().from(browserSourceTurns).where(eq(browserSourceTurns.sessionRef, sessionRef)).get();
      return turn === undefined || turn.turnSha256 === turnSha256;
    },
    /** Dispatches whose parent has not been told how they ended. */
    untold(): Row[] {
      return orm.select().from(table).where(isNotNull(table.parentTarget)).all().filter(hasEnded);
    },
    /** Writes the wake's own dispatch down before it is sent; the one that is there already stays. */
    beginTelling(dispatchId: string, wakeDispatchId: string): string {
      return inTransaction(() => {
        const row = orm.select().from(table).where(eq(table.dispatchId, dispatchId)).get();
        if (row?.wakeDispatchId != null) return row.wakeDispatchId;
        orm.update(table).set({ wakeDispatchId }).where(eq(table.dispatchId, dispatchId)).run();
        return wakeDispatchId;
      });
    },
    /** `again`: it was certainly not told, and is tried under another id. */
    endTelling(dispatchId: string, again: boolean): void {
      orm
        .update(table)
        .set(again ? { wakeDispatchId: null } : { parentTarget: null })
        .where(eq(table.dispatchId, dispatchId))
        .run();
    },
    insert: (row: NewRow): Row => orm.insert(table).values(row).returning().get(),
    change(dispatchId: string, to: Partial<NewRow>): Row {
      const row = orm.update(table).set(to).where(eq(table.dispatchId, dispatchId)).returning().get();
      if (!row) throw new Error('a dispatch is gone while it is changed');
      return row;
    },
    expire,
    forget(now: number): void {
      orm
        .delete(table)
        .where(lt(table.createdAt, now - DISPATCH_TTL_MS))
        .run();
    },
  };
}

export type DispatchStore = ReturnType<typeof openStore>;
