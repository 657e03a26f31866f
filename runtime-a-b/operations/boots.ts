/** Which processes have served calls, and whether one that left a call open still lives. */
import { and, eq, lt, ne, sql } from 'drizzle-orm/sql';
import { isAlive, processStartTime } from '../../local/spawn/index.ts';
import { boots, type State } from '../state/index.ts';
import type { Boot } from './ledger.ts';

export class Boots {
  readonly #own: string;
  readonly #find: ReturnType<typeof prepareFind>;
  readonly #state: State;

  constructor(state: State, boot: Boot, facts: { version: string; nowMs: number }) {
    this.#own = boot.bootId;
    this.#state = state;
    this.#find = prepareFind(state);
    const processStart = processStartTime(process.pid) ?? '';
    state.orm
      .insert(boots)
      .values({ ...boot, pid: process.pid, processStart, version: facts.version, startedAt: facts.nowMs })
      .run();
  }

  /** Whether that process may still be working. A boot that nobody registered is dead. */
  isAlive(bootId: string): boolean {
    return this.standing(bootId) === 'own' || this.standing(bootId) === 'alive';
  }

  /** `unknown`: no process of this state folder, or one of long ago, so what it ran is not in this ledger. */
  standing(bootId: string): 'own' | 'alive' | 'dead' | 'unknown' {
    if (bootId === this.#own) return 'own';
    const row = this.#find.get({ id: bootId });
    if (row === undefined) return 'unknown';
    return row.endedAt === null && isAlive(row.pid, row.processStart) ? 'alive' : 'dead';
  }

  /** Forgets processes that began before this time; a call that one of them left open has long been judged. */
  forget(beforeMs: number): void {
    const { orm } = this.#state;
    orm
      .delete(boots)
      .where(and(lt(boots.startedAt, beforeMs), ne(boots.bootId, this.#own)))
      .run();
  }

  end(nowMs: number): void {
    this.#state.orm.update(boots).set({ endedAt: nowMs }).where(eq(boots.bootId, this.#own)).run();
  }
}

const prepareFind = ({ orm }: State) =>
  orm
    .select()
    .from(boots)
    .where(eq(boots.bootId, sql.placeholder('id')))
    .prepare();
