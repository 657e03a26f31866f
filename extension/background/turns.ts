/** The turns of the open conversations: told to the registry while they go on, journaled when they stand. */
import { SOURCE_TURN_REPEAT_MS } from '../../contract/extension/registry.ts';
import type { Turn } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { derivedId } from './journal.ts';
import type { Registry } from './registry.ts';

export interface TurnParts {
  registry: Registry;
  nowMs: () => number;
  journal(page: PageIdentity, role: 'user' | 'assistant', turn: Turn): Promise<boolean>;
  /** The last finished turn as a page shows it; null: no page can say. */
  latest(conversation: string): Promise<{ page: PageIdentity; user: Turn | null; assistant: Turn | null } | null>;
  waitingMax: number;
}

export function createTurns(parts: TurnParts) {
  const { registry, nowMs } = parts;
  /** The turn that goes on in a conversation. */
  const going = new Map<string, { id: string; startedAt: number; timer: ReturnType<typeof setInterval> }>();
  /** Conversations of which something could not be journaled. */
  const waiting = new Set<string>();

  async function begin(page: PageIdentity, user: Turn): Promise<void> {
    const { conversation } = page;
    if (conversation === null) return;
    const id = user.id ?? (await derivedId(conversation, 'user', user.text));
    end(conversation);
    const startedAt = nowMs();
    const tell = () => void registry.turn(page, { id, inProgress: true, startedAt });
    going.set(conversation, { id, startedAt, timer: setInterval(tell, SOURCE_TURN_REPEAT_MS) });
    await registry.turn(page, { id, inProgress: true, startedAt });
  }

  function end(conversation: string): { id: string; startedAt: number } | undefined {
    const turn = going.get(conversation);
    clearInterval(turn?.timer);
    going.delete(conversation);
    return turn;
  }

  async function write(page: PageIdentity, user: Turn | null, assistant: Turn | null): Promise<void> {
    // The person's side first: a new chat of a Project joins its chain by it.
    if (user) await parts.journal(page, 'user', user);
    if (assistant) await parts.journal(page, 'assistant', assistant);
  }

  return {
    missed(conversation: string): void {
      if (waiting.size < parts.waitingMax) waiting.add(conversation);
    },
    async take(
      page: PageIdentity,
      { user, assistant, ended }: { user: Turn | null; assistant: Turn | null; ended: boolean },
    ) {
      if (page.conversation === null) return;
      if (!ended && user) await begin(page, user);
      if (ended) {
        const turn = end(page.conversation);
        if (turn) await registry.turn(page, { ...turn, inProgress: false });
      }
      await write(page, user, assistant);
    },
    /** A bound chat has come up: what its page shows as finished may not have been journaled yet. */
    async fillIn(page: PageIdentity): Promise<void> {
      if (page.conversation === null) return;
      const shown = await parts.latest(page.conversation);
      if (shown) await write(shown.page, shown.user, shown.assistant);
    },
    async retry(): Promise<void> {
      for (const conversation of [...waiting]) {
        waiting.delete(conversation);
        const shown = await parts.latest(conversation);
        if (shown) await write(shown.page, shown.user, shown.assistant);
        else waiting.add(conversation);
      }
    },
  };
}
