/** Looks at the page every moment and reports turns that begin and end. Decisions are in `machines/page/turn.ts`. */
import {
  answered,
  drafted,
  glance,
  latestTurn,
  NO_WATCH,
  submitted,
  type TurnEffect,
  type Watch,
} from '../machines/page/index.ts';
import type { PageIdentity } from '../page.ts';
import type { Messages, SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';

export interface WatcherParts {
  adapter: SiteAdapter;
  clock: Clock;
  ended: AbortSignal;
  page(): PageIdentity | null;
  /** The messages as they are mounted, at each look. */
  seen(conversation: string | null, messages: Messages): void;
  report(page: PageIdentity, effect: Exclude<TurnEffect, { type: 'ask_server' }>): Promise<void>;
}

export function createWatcher(parts: WatcherParts) {
  const { adapter, clock, ended } = parts;
  let watch: Watch = NO_WATCH;
  let asking = false;
  /** The last turn that was seen to be written, in this document. */
  let proved: string | null = null;
  // A site may name its button in no way: what stood in the composer at a click may be what is sent by it.
  const clicked = ({ isTrusted }: Event) => {
    const draft = isTrusted ? adapter.draft().found : null;
    if (draft) watch = drafted(watch, draft, clock.now());
  };
  document.addEventListener('pointerdown', clicked, { capture: true, signal: ended });

  async function perform(page: PageIdentity, effects: readonly TurnEffect[]): Promise<void> {
    for (const effect of effects) {
      if (effect.type === 'ask_server') void ask(page);
      else if (effect.type === 'accepted') {
        proved = effect.user.id;
        await parts.report(page, effect);
      } else await parts.report(page, effect);
    }
  }

  async function ask(page: PageIdentity): Promise<void> {
    const { conversation } = page;
    // A site that refuses is asked later: that it says nothing now is no answer.
    if (asking || conversation === null || (adapter.health?.heldMs() ?? 0) > 0) return;
    asking = true;
    const view = await adapter.snapshot(conversation, ended);
    asking = false;
    // The person has gone to another conversation meanwhile: the answer is about nobody here.
    if (ended.aborted || watch.conversation !== conversation) return;
    const step = answered(watch, view.found, clock.now(), view.why !== 'unsupported');
    watch = step.watch;
    await perform(page, step.effects);
  }

  return {
    submitted(by: 'person' | 'extension'): void {
      watch = submitted(watch, by, clock.now(), adapter.draft().found);
    },
    /** One look. A page whose messages cannot be read now is looked at again later. */
    async look(): Promise<void> {
      const page = parts.page();
      const messages = adapter.messages();
      if (page === null || messages.found === null) return;
      parts.seen(page.conversation, messages.found);
      const step = glance(watch, {
        now: clock.now(),
        conversation: page.conversation,
        mounted: messages.found.mounted,
        busy: adapter.streaming().found,
      });
      watch = step.watch;
      await perform(page, step.effects);
    },
    /** The last turn that is complete, as the page shows it. */
    latest: (): ReturnType<typeof latestTurn> =>
      adapter.streaming().found === false
        ? latestTurn(adapter.messages().found?.mounted ?? [], proved)
        : { user: null, assistant: null },
  };
}
