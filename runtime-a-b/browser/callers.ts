/** Callers and the conversations that they were proved to be. A join is made once, kept, and never moved. */
import { and, eq, gt, isNotNull } from 'drizzle-orm/sql';
import type { Principal } from '../../contract/call.ts';
import { readConversationUrl } from '../continuity/index.ts';
import type { State } from '../state/index.ts';
import { TURN_TTL_MS } from './limits.ts';
import { newest, provedSession, type SourceTurn } from './proof.ts';
import { browserCallers, browserResources, browserSourceTurns } from './schema.ts';

/** Who calls: a connector's conversation, by the mark that its host sends. */
export interface Caller {
  principal: Pick<Principal, 'kind' | 'id'>;
  callerSession: string;
}

export interface Callers {
  /** The conversation that this caller is known to be; null when nothing has proved it. */
  sessionOf(caller: Caller): string | null;
  /** Joins by what the extension saw while the call ran. Gives the session, also when it was joined before. */
  joinByTurn(caller: Caller, call: { from: number; to: number }, nowMs: number): string | null;
  /** Joins by the conversation's own address, which the call named. */
  joinByUrl(caller: Caller, url: string, nowMs: number): string | null;
}

export function openCallers(state: State): Callers {
  const { orm, database } = state;

  function sessionOf({ principal, callerSession }: Caller): string | null {
    const row = orm
      .select()
      .from(browserCallers)
      .where(
        and(
          eq(browserCallers.principalKind, principal.kind),
          eq(browserCallers.principalId, principal.id),
          eq(browserCallers.callerSession, callerSession),
        ),
      )
      .get();
    return row?.sessionRef ?? null;
  }

  /** A conversation that another caller of this connector is joined to already is not this one. */
  function join(caller: Caller, find: () => string | null, proof: 'source_turn' | 'named_url', nowMs: number) {
    const known = sessionOf(caller);
    if (known !== null) return known;
    return database
      .transaction((): string | null => {
        const kept = sessionOf(caller);
        if (kept !== null) return kept;
        const sessionRef = find();
        if (sessionRef === null) return null;
        const { principal, callerSession } = caller;
        const made = orm
          .insert(browserCallers)
          .values({
            principalKind: principal.kind,
            principalId: principal.id,
            callerSession,
            sessionRef,
            proof,
            firstBoundAt: nowMs,
            lastBoundAt: nowMs,
          })
          .onConflictDoNothing()
          .run();
        return made.changes === 1 ? sessionRef : null;
      })
      .immediate();
  }

  function turns(nowMs: number): SourceTurn[] {
    const rows = orm
      .select({ turn: browserSourceTurns, url: browserResources.canonicalUrl })
      .from(browserSourceTurns)
      .leftJoin(browserResources, eq(browserResources.resourceRef, browserSourceTurns.sessionRef))
      .where(gt(browserSourceTurns.observedAt, nowMs - TURN_TTL_MS))
      .all();
    return rows.map(({ turn, url }) => ({ ...turn, conversation: url ?? turn.sessionRef }));
  }

  function sessionAt(url: string): string | null {
    const reading = readConversationUrl(url);
    if (!reading.ok) return null;
    const rows = orm
      .select({ sessionRef: browserResources.resourceRef, observedAt: browserResources.lastObservedAt })
      .from(browserResources)
      .where(
        and(
          eq(browserResources.kind, 'session'),
          isNotNull(browserResources.canonicalUrl),
          eq(browserResources.canonicalUrl, reading.address.canonicalUrl),
        ),
      )
      .all();
    return rows.length === 0 ? null : newest(rows);
  }

  return {
    sessionOf,
    joinByTurn: (caller, call, nowMs) =>
      join(caller, () => provedSession(turns(nowMs), call, nowMs), 'source_turn', nowMs),
    joinByUrl: (caller, url, nowMs) => join(caller, () => sessionAt(url), 'named_url', nowMs),
  };
}
