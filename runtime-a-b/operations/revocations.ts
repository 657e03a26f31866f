/** Tombstones of connectors. Read from the database each time: the other generation may have been told. */
import { eq, sql } from 'drizzle-orm/sql';
import { revokedConnectors, type State } from '../state/index.ts';

export class Revocations {
  readonly #find: ReturnType<typeof prepareFind>;
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
    this.#find = prepareFind(state);
  }

  isRevoked(connectorId: string): boolean {
    return this.#find.get({ id: connectorId }) !== undefined;
  }

  /** Refuses every later call of this connector. Saying it twice changes nothing. */
  revoke(connectorId: string, nowMs: number): void {
    this.#state.orm.insert(revokedConnectors).values({ connectorId, revokedAt: nowMs }).onConflictDoNothing().run();
  }
}

const prepareFind = ({ orm }: State) =>
  orm
    .select()
    .from(revokedConnectors)
    .where(eq(revokedConnectors.connectorId, sql.placeholder('id')))
    .prepare();
