/** Tombstones of connectors. Read from the database each time: the other generation may have been told. */
import { getTableName } from 'drizzle-orm/table';
import { revokedConnectors, type State } from '../state/index.ts';

export class Revocations {
  readonly #find: ReturnType<typeof prepareFind>;
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
    this.#find = prepareFind(state);
  }

  isRevoked(connectorId: string): boolean {
    return this.#find.get(connectorId) !== undefined;
  }

  /** Refuses every later call of this connector. Saying it twice changes nothing. */
  revoke(connectorId: string, nowMs: number): void {
    this.#state.orm.insert(revokedConnectors).values({ connectorId, revokedAt: nowMs }).onConflictDoNothing().run();
  }
}

/** Straight at SQLite, because every call asks: drizzle's own prepared query fills its placeholders anew each time. */
const prepareFind = ({ database }: State) =>
  database
    .prepare(`SELECT 1 FROM ${getTableName(revokedConnectors)} WHERE ${revokedConnectors.connectorId.name} = ?`)
    .pluck();
