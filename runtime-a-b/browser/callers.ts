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

/** Some hosts mark no conversations: then each call stands for itself. */
export type AnyCaller = Pick<Caller, 'principal'> & { callerSession: string | undefined };

/** A call as it ran, and the conversation's own address when the call named one. */
export interface RanCall {
  from: number;
  to: number;
  url?: string | undefined;
}

export interface Callers {
  /** The conversation that this caller is known to be; null when nothing has proved it. */
  sessionOf(caller: Caller): string | null;
  /**
   * The conversation that a call came from: by its own address, or by what the extension saw while it ran; null when
   * nothing proves it or the two disagree. A marked caller is joined to it and keeps it, also against later proof; for an
   * unmarked one it holds for this call alone.
   */
  prove(caller: AnyCaller, call: RanCall, nowMs: number): string | null;
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
  function join(caller: Caller, call: RanCall, nowMs: number) {
    const known = sessionOf(caller);
    if (known !== null) return known;
    return database
      .transaction((): string | null => {
        const kept = sessionOf(caller);
        if (kept !== null) return kept;
        const found = find(call, nowMs);
        if (found === null) return null;
        const { sessionRef, proof } = found;
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

  const resource = (sessionRef: string) =>
    orm.select().from(browserResources).where(eq(browserResources.resourceRef, sessionRef)).get();

  function sessionAt(canonicalUrl: string): string | null {
    const rows = orm
      .select({ sessionRef: browserResources.resourceRef, observedAt: browserResources.lastObservedAt })
      .from(browserResources)
      .where(
        and(
          eq(browserResources.kind, 'session'),
          isNotNull(browserResources.canonicalUrl),
          eq(browserResources.canonicalUrl, canonicalUrl),
        ),
      )
      .all();
    return rows.length === 0 ? null : newest(rows);
  }

  /** What is no address of a conversation names none. An address that the browser's own look contradicts proves nothing. */
  function find(call: RanCall, nowMs: number): { sessionRef: string; proof: 'source_turn' | 'named_url' } | null {
    const seen = provedSession(turns(nowMs), call, nowMs);
    const named = readConversationUrl(call.url ?? '');
    if (!named.ok) return seen === null ? null : { sessionRef: seen, proof: 'source_turn' };
    if (seen !== null) {
      const there = readConversationUrl(resource(seen)?.canonicalUrl ?? '');
      // Compared by id: the same chat has an address within its project and one without.
      const agree =
        there.ok &&
        there.address.provider === named.address.provider &&
        there.address.conversationId === named.address.conversationId;
      return agree ? { sessionRef: seen, proof: 'source_turn' } : null;
    }
    const sessionRef = sessionAt(named.address.canonicalUrl);
    return sessionRef === null ? null : { sessionRef, proof: 'named_url' };
  }

  /** Of a connector that marks its conversations, one that a marked caller is joined to is not this unmarked one's. */
  function once(principal: Caller['principal'], call: RanCall, nowMs: number): string | null {
    const sessionRef = find(call, nowMs)?.sessionRef ?? null;
    if (sessionRef === null) return null;
    const taken = orm
      .select({ sessionRef: browserCallers.sessionRef })
      .from(browserCallers)
      .where(
        and(
          eq(browserCallers.principalKind, principal.kind),
          eq(browserCallers.principalId, principal.id),
          eq(browserCallers.sessionRef, sessionRef),
        ),
      )
      .get();
    return taken === undefined ? sessionRef : null;
  }

  return {
    sessionOf,
    prove: ({ principal, callerSession }, call, nowMs) =>
      callerSession === undefined ? once(principal, call, nowMs) : join({ principal, callerSession }, call, nowMs),
  };
}
