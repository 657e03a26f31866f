/** A page that is looked at, second by second, and what stands on it. */
import {
  answered,
  drafted,
  glance,
  NO_WATCH,
  submitted,
  type TurnEffect,
  type Watch,
} from '../../../extension/machines/page/index.ts';
import type { Message, ServerView } from '../../../extension/site/index.ts';

export const user = (id: string | null, text = `words of ${id}`): Message => ({ role: 'user', id, text });
export const reply = (id: string | null, text = `answer ${id}`): Message => ({ role: 'assistant', id, text });
export const server = (part: Partial<ServerView>): ServerView => ({
  latestUser: user('u2'),
  latestAssistant: reply('a2', 'whole answer'),
  currentRole: 'assistant',
  finished: 'finished',
  updatedAtMs: null,
  ...part,
});

/** A page that is looked at, second by second. */
export function page() {
  let watch: Watch = NO_WATCH;
  let now = 1_000_000;
  const effects: TurnEffect[] = [];
  const page = {
    effects,
    get now() {
      return now;
    },
    press(by: 'person' | 'extension', text: string | null = null) {
      watch = submitted(watch, by, now, text);
      return page;
    },
    /** The composer held this when a person clicked somewhere. */
    draft(text: string) {
      watch = drafted(watch, text, now);
      return page;
    },
    look(
      mounted: readonly Message[],
      options: { busy?: boolean | null; conversation?: string | null; ms?: number } = {},
    ) {
      now += options.ms ?? 800;
      const conversation = options.conversation === undefined ? 'c' : options.conversation;
      const step = glance(watch, {
        now,
        conversation,
        mounted,
        busy: options.busy === undefined ? false : options.busy,
      });
      watch = step.watch;
      effects.push(...step.effects);
      return page;
    },
    answer(view: ServerView | null, hasServer = true) {
      const step = answered(watch, view, now, hasServer);
      watch = step.watch;
      effects.push(...step.effects);
      return page;
    },
  };
  return page;
}
export const old = [user('u1'), reply('a1')];
