/**
 * Tells the worker how long the conversation is: of each mounted turn its id and an estimate, never its words, and how many
 * turns the page names. Told again only when something is new.
 */
import { fnv1a } from '../fnv.ts';
import { estimateTokens, REPORT_TURNS_MAX, type SeenTurn } from '../machines/pressure/index.ts';
import type { Answer } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';

export interface HistoryParts {
  adapter: Pick<SiteAdapter, 'messages' | 'streaming'>;
  page(): PageIdentity | null;
  tell(page: PageIdentity, turns: readonly SeenTurn[], turnsNamed: number): Promise<Answer<null>>;
}

export function createHistory({ adapter, page, tell }: HistoryParts): { look(): Promise<void> } {
  /** Of the conversation that is shown: characters of each turn as told last, and the number of turns. */
  let told: { conversation: string; chars: Map<string, number>; named: number } | null = null;

  return {
    async look() {
      const from = page();
      const messages = adapter.messages().found;
      if (from === null || from.conversation === null || messages === null) return;
      // An answer that is being written is counted when it stands.
      if (adapter.streaming().found !== false) return;
      if (told?.conversation !== from.conversation)
        told = { conversation: from.conversation, chars: new Map(), named: 0 };
      const { chars, named } = told;
      const fresh: SeenTurn[] = [];
      const sizes: [string, number][] = [];
      for (const { id, role, text } of messages.mounted.slice(-REPORT_TURNS_MAX)) {
        const name = id ?? `${role}:${text.length}:${fnv1a(text)}`;
        if ((chars.get(name) ?? -1) >= text.length) continue;
        fresh.push({ id: name, role, tokens: estimateTokens(text) });
        sizes.push([name, text.length]);
      }
      if (fresh.length === 0 && messages.turnsSeen <= named) return;
      const answer = await tell(from, fresh, messages.turnsSeen);
      if (!answer.ok || told?.conversation !== from.conversation) return;
      for (const [name, size] of sizes) told.chars.set(name, size);
      told.named = Math.max(told.named, messages.turnsSeen);
    },
  };
}
