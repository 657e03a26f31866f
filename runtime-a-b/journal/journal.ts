/** The open journal: its tables, its index and its key, and the one way to write into it. */
import { asc, eq, inArray, lt } from 'drizzle-orm/sql';
import type { Static, TObject } from 'typebox';
import type { State } from '../state/index.ts';
import { Bindings } from './bindings.ts';
import { Chains } from './chains.ts';
import { Entries } from './entries.ts';
import { RECEIPT_KEPT_MS, RECEIPTS_SWEPT } from './limits.ts';
import { type LocalMethod, type MethodContext, method } from './method.ts';
import { receipts, secrets } from './schema.ts';
import { TextIndex } from './text-index.ts';

export interface Journal {
  readonly state: State;
  readonly chains: Chains;
  readonly bindings: Bindings;
  readonly entries: Entries;
  readonly index: TextIndex;
  /** Seals this database's cursors. */
  readonly cursorKey: Uint8Array;
  /** That many random bytes. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Bytes of a cursor key: as many as its digest has. */
const KEY_BYTES = 32;

/** Opens the journal of a `state.db` that has been migrated. */
export function openJournal(state: State, random: (bytes: number) => Uint8Array): Journal {
  const index = new TextIndex(state.database);
  const chains = new Chains(state);
  return {
    state,
    chains,
    bindings: new Bindings(state),
    entries: new Entries(state, chains, index),
    index,
    cursorKey: cursorKey(state, random),
    random,
  };
}

/** The first process makes the key; the other generation, or a kill between the two steps, finds it. */
function cursorKey(state: State, random: (bytes: number) => Uint8Array): Uint8Array {
  const find = () =>
    state.orm.select({ value: secrets.value }).from(secrets).where(eq(secrets.name, 'cursor')).get()?.value;
  const known = find();
  if (known) return known;
  state.orm
    .insert(secrets)
    .values({ name: 'cursor', value: Buffer.from(random(KEY_BYTES)) })
    .onConflictDoNothing()
    .run();
  const made = find();
  if (!made) throw new Error('the key of the cursors cannot be kept');
  return made;
}

/** Runs `act` in one `BEGIN IMMEDIATE` transaction: the other generation sees all of it or nothing. */
export function inTransaction<T>(journal: Journal, act: () => T): T {
  return journal.state.database.transaction(act).immediate();
}

/** A method that writes once: see {@link writeOnce}. */
export function atomicMethod<const Params extends TObject>(
  journal: Journal,
  name: string,
  params: Params,
  act: (params: Static<Params>, nowMs: number, context: MethodContext) => Record<string, unknown>,
): LocalMethod {
  const run = (given: Static<Params>, context: MethodContext) =>
    writeOnce(journal, context, name, (nowMs) => act(given, nowMs, context));
  return { ...method('write', params, run), atomic: true };
}

/**
 * A write and the record of its answer, in one transaction. The same dispatch never acts twice: it gets the recorded
 * answer. So after a kill the answer is either there, and the write with it, or neither is.
 */
function writeOnce(
  journal: Journal,
  context: Pick<MethodContext, 'dispatchId' | 'nowMs'>,
  name: string,
  act: (nowMs: number) => Record<string, unknown>,
): Record<string, unknown> {
  const { orm } = journal.state;
  return inTransaction(journal, () => {
    const known = writtenAnswer(journal.state, context.dispatchId);
    if (known) return known.answer;
    const at = context.nowMs();
    const answer = act(at);
    orm
      .insert(receipts)
      .values({ dispatchId: context.dispatchId, method: name, at, answer: JSON.stringify(answer) })
      .run();
    const old = orm
      .select({ id: receipts.dispatchId })
      .from(receipts)
      .where(lt(receipts.at, at - RECEIPT_KEPT_MS))
      .orderBy(asc(receipts.at))
      .limit(RECEIPTS_SWEPT);
    orm.delete(receipts).where(inArray(receipts.dispatchId, old)).run();
    return answer;
  });
}

/**
 * What a dispatch has written here, or undefined: then it wrote nothing, unless its process still lives. For the ledger,
 * which judges calls whose process died.
 */
export function writtenAnswer(
  state: State,
  dispatchId: string,
): { method: string; answer: Record<string, unknown> } | undefined {
  const row = state.orm.select().from(receipts).where(eq(receipts.dispatchId, dispatchId)).get();
  return row && { method: row.method, answer: JSON.parse(row.answer) as Record<string, unknown> };
}
