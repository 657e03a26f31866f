/**
 * The last turn, once its answer is certainly complete: a page that has just loaded, or has lost its stream, shows a part of
 * an answer as if it were all of it. The site's server says whether it is; where it says nothing, two looks must agree.
 */
import type { Answer, Turn } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';
import { SETTLED_AGAIN_MS } from './limits.ts';

interface LastTurn {
  user: Turn | null;
  assistant: Turn | null;
}

export interface SettledParts {
  adapter: Pick<SiteAdapter, 'snapshot' | 'health'>;
  clock: Clock;
  ended: AbortSignal;
  page(): PageIdentity | null;
  /** As the page shows it. */
  latest(): LastTurn;
}

const NONE: LastTurn = { user: null, assistant: null };

export function createSettled({ adapter, clock, ended, page, latest }: SettledParts) {
  async function lastTurn(conversation: string, of: readonly string[] | null): Promise<LastTurn> {
    const first = latest();
    if (first.user?.id != null && of?.every((id) => isOfSite(id) && id !== first.user?.id)) return NONE;
    // A site that refuses is asked later.
    if (first.assistant === null || (adapter.health?.heldMs() ?? 0) > 0) return NONE;
    const { found: server } = await adapter.snapshot(conversation, ended);
    if (server !== null) {
      const { latestUser, latestAssistant, currentRole, finished } = server;
      const whole = finished === 'finished' && currentRole === 'assistant';
      if (!whole || latestUser === null || latestAssistant === null) return { user: first.user, assistant: null };
      const same = first.user?.id != null && first.user.id === latestUser.id;
      return { user: same ? first.user : turnOf(latestUser), assistant: turnOf(latestAssistant) };
    }
    await clock.pause(SETTLED_AGAIN_MS);
    if (ended.aborted) return NONE;
    return JSON.stringify(latest()) === JSON.stringify(first) ? first : { user: first.user, assistant: null };
  }

  return {
    async answer(
      { of }: { of: readonly string[] | null },
      conversation: string | null,
    ): Promise<Answer<LastTurn & { page: PageIdentity }>> {
      const turn =
        conversation === null || page()?.conversation !== conversation ? NONE : await lastTurn(conversation, of);
      const from = page();
      return from === null || conversation === null || from.conversation !== conversation
        ? { ok: false, reason: 'conversation_changed' }
        : { ok: true, value: { page: from, ...turn } };
    },
  };
}

/** Not one of ours, which stands for the words where the page showed no id. */
const isOfSite = (id: string): boolean => !id.startsWith('jt:');

const turnOf = ({ id, text }: Turn): Turn => ({ id, text });
