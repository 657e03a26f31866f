/** Which conversations and workspaces belong to which chain. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm/sql';
import type { State } from '../state/index.ts';
import type { Chain } from './chains.ts';
import { bindings, chains } from './schema.ts';

export type Binding = typeof bindings.$inferSelect;

/** A conversation as its site names it. */
export interface Conversation {
  provider: string;
  conversationId: string;
}

/** A binding that counts, with the chain that it leads to. */
export interface Owner {
  binding: Binding;
  chain: Chain;
}

export class Bindings {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(state: State) {
    this.#sql = prepare(state);
  }

  /** Everything that a conversation is bound to. `provider` empty means any. */
  ofConversation(conversation: Conversation): Owner[] {
    return this.#sql.ofConversation.all({ id: conversation.conversationId, provider: conversation.provider });
  }

  /** The conversations of a chain, newest binding first, retired ones too. */
  ofChain(chainNo: number, limit: number): Binding[] {
    return this.#sql.ofChain.all({ no: chainNo, limit });
  }

  /** Binds; a binding that exists stays as it is. */
  bind(conversation: Conversation, chainNo: number, workspaceId: string, at: number): void {
    this.#sql.insert.run({ ...conversation, chainNo, workspaceId, at });
  }

  /** Ends what binds a conversation to other chains than this one. Returns how many bindings that were. */
  retireOthers(conversation: Conversation, chainNo: number, at: number): number {
    return this.#sql.retireOthers.run({ ...conversation, chainNo, at }).changes;
  }
}

const slot = sql.placeholder;

function prepare({ orm }: State) {
  const owners = () =>
    orm
      .select({ binding: bindings, chain: chains })
      .from(bindings)
      .innerJoin(chains, eq(chains.chainNo, bindings.chainNo));
  const counts = and(isNull(bindings.retiredAt), ne(chains.status, 'importing'));
  return {
    ofConversation: owners()
      .where(
        and(
          eq(bindings.conversationId, slot('id')),
          sql`(${slot('provider')} = '' OR ${bindings.provider} = ${slot('provider')})`,
          counts,
        ),
      )
      .orderBy(bindings.chainNo, bindings.workspaceId)
      .prepare(),
    ofChain: orm
      .select()
      .from(bindings)
      .where(eq(bindings.chainNo, slot('no')))
      .orderBy(sql`${bindings.boundAt} DESC`, bindings.conversationId, bindings.workspaceId)
      .limit(slot('limit'))
      .prepare(),
    insert: orm
      .insert(bindings)
      .values({
        conversationId: slot('conversationId'),
        provider: slot('provider'),
        chainNo: slot('chainNo'),
        workspaceId: slot('workspaceId'),
        boundAt: slot('at'),
      })
      .onConflictDoUpdate({
        target: [bindings.conversationId, bindings.provider, bindings.chainNo, bindings.workspaceId],
        set: { retiredAt: null },
      })
      .prepare(),
    retireOthers: orm
      .update(bindings)
      .set({ retiredAt: sql`${slot('at')}` })
      .where(
        and(
          eq(bindings.conversationId, slot('conversationId')),
          eq(bindings.provider, slot('provider')),
          ne(bindings.chainNo, slot('chainNo')),
          isNull(bindings.retiredAt),
        ),
      )
      .prepare(),
  };
}
