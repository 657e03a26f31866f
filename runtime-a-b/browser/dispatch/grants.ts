/**
 * Who may drive a web chat. A grant comes from the door that a call came in at, or from the person's own list; nothing that
 * a call says of itself is one.
 */
import { and, eq } from 'drizzle-orm/sql';
import type { Principal } from '../../../contract/call.ts';
import type { State } from '../../state/index.ts';
import { browserGrants } from '../schema.ts';

export interface Caller {
  principal: Pick<Principal, 'kind' | 'id'>;
  /** `socket`: the private socket of the state folder, past the native host's list of paths. */
  door: 'link' | 'loopback' | 'socket';
}

/** The person at the workstation, or what the person started there: the only one who gives grants. */
export const isTrusted = ({ principal, door }: Caller): boolean =>
  door === 'socket' && principal.kind === 'local' && principal.id === 'cli';

/** Somebody with the workstation's own bearer may look, also over TCP. */
export const isLocal = ({ principal, door }: Caller): boolean => principal.kind === 'local' && door !== 'link';

export function openGrants({ orm }: State) {
  const named = (connectorId: string) =>
    and(eq(browserGrants.principalKind, 'connector'), eq(browserGrants.principalId, connectorId));
  return {
    /** May it act? A connector only as the link brought it, and only while the person lets it. */
    holds(caller: Caller): boolean {
      if (isTrusted(caller)) return true;
      const { principal, door } = caller;
      if (door !== 'link' || principal.kind !== 'connector') return false;
      return orm.select().from(browserGrants).where(named(principal.id)).get() !== undefined;
    },
    /** Of one who could act when he asked: a connector's grant may have been taken back since. */
    still: ({ kind, id }: Pick<Principal, 'kind' | 'id'>): boolean =>
      kind !== 'connector' || orm.select().from(browserGrants).where(named(id)).get() !== undefined,
    list: () => orm.select().from(browserGrants).orderBy(browserGrants.grantedAt).all(),
    put(connectorId: string, now: number): boolean {
      const made = orm
        .insert(browserGrants)
        .values({ principalKind: 'connector', principalId: connectorId, grantedAt: now })
        .onConflictDoNothing()
        .run();
      return made.changes === 1;
    },
    revoke: (connectorId: string): boolean => orm.delete(browserGrants).where(named(connectorId)).run().changes === 1,
  };
}

export type Grants = ReturnType<typeof openGrants>;
