/** The turns of the open conversations: told to the registry while they go on, journaled when they stand. */
import { DISPATCH_MESSAGE_BYTES_MAX } from '../../contract/browser/methods.ts';
import { userTextForm } from '../../contract/browser/user-text.ts';
import { SOURCE_TURN_REPEAT_MS } from '../../contract/extension/registry.ts';
import type { Turn } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { derivedId } from './journal.ts';
import { FILL_IN_AGAIN_MS } from './limits.ts';
import type { Registry, ToldTurn } from './registry.ts';

export interface TurnParts {
  registry: Pick<Registry, 'turn'>;
  nowMs: () => number;
  journal(page: PageIdentity, role: 'user' | 'assistant', turn: Turn): Promise<boolean>;
  pause(ms: number): Promise<void>;
  /** The last turn of a bound chat, with its answer once that is certainly complete; null: no page can say. */
  latest(conversation: string): Promise<{ page: PageIdentity; user: Turn | null; assistant: Turn | null } | null>;
  waitingMax: number;
}

type Begun = Omit<ToldTurn, 'inProgress'>;

export function createTurns(parts: TurnParts) {
  const { registry, nowMs } = parts;
  /** The turn that goes on in a conversation. */
  const going = new Map<string, { turn: Promise<Begun>; timer: ReturnType<typeof setInterval> }>();
  /** Conversations of which something could not be journaled. */
  const waiting = new Set<string>();

  async function begin(page: PageIdentity, user: Turn): Promise<void> {
    const { conversation } = page;
    if (conversation === null) return;
    const id = user.id ?? (await derivedId(conversation, 'user', user.text));
    end(conversation);
    const startedAt = nowMs();
    const turn = wordsOf(user.text).then((textSha256) => ({ id, startedAt, textSha256 }));
    const tell = async () => registry.turn(page, { ...(await turn), inProgress: true });
    going.set(conversation, { turn, timer: setInterval(() => void tell(), SOURCE_TURN_REPEAT_MS) });
    await tell();
  }

  function end(conversation: string): Promise<Begun> | undefined {
    const ended = going.get(conversation);
    clearInterval(ended?.timer);
    going.delete(conversation);
    return ended?.turn;
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
        if (turn) await registry.turn(page, { ...(await turn), inProgress: false });
      }
      await write(page, user, assistant);
    },
    /**
     * A bound chat has come up: what its page shows as finished may not have been journaled yet. What it has written only a
     * part of is left for later: the journal keeps what it is given first.
     */
    async fillIn(page: PageIdentity): Promise<void> {
      if (page.conversation === null) return;
      for (const wait of [0, ...FILL_IN_AGAIN_MS]) {
        if (wait > 0) await parts.pause(wait);
        const shown = await parts.latest(page.conversation);
        if (shown) await write(shown.page, shown.user, shown.assistant);
        if (shown?.user == null || shown.assistant !== null) return;
      }
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

/** Null: longer than any message that a chat can be named by, so that it may have been cut. */
async function wordsOf(text: string): Promise<string | null> {
  if (text.length >= DISPATCH_MESSAGE_BYTES_MAX) return null;
  const bytes = new TextEncoder().encode(userTextForm(text));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
