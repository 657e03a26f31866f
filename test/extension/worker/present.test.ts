/** Tabs that are said to show one chat are asked before one of them, or none, is taken. */
import { expect, it } from 'vitest';
import { lookWhoIsThere } from '../../../extension/background/present.ts';
import { type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { EMPTY } from '../../../extension/machines/worker/state.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

const ENV = { now: 1_764_500_000_000, language: 'en' } as const;

/** Tabs as they are in the books, and what their pages say: null, nobody is there. */
function browser(says: Readonly<Record<number, PageIdentity | null>>, books: readonly number[]) {
  let state: State = {
    ...EMPTY,
    tabs: Object.fromEntries(
      books.map((tab) => [tab, { document: `d${tab}`, version: '1', page: chat(), state: QUIET }]),
    ),
  };
  const asked: number[] = [];
  return {
    asked,
    shows: () => Object.keys(state.tabs).filter((id) => state.tabs[id]?.page.conversation === CHAT),
    look: (conversation: string | null = CHAT) =>
      lookWhoIsThere(
        {
          take: async (event: Event) => {
            state = step(state, event, ENV).state;
          },
          state: async () => state,
          askPage: (async (tab: number) => {
            asked.push(tab);
            const page = says[tab] ?? null;
            if (page === null) return null;
            return { ok: true, value: { page, version: '1', document: `d${tab}`, state: QUIET } };
          }) as Parameters<typeof lookWhoIsThere>[0]['askPage'],
        },
        conversation,
      ),
  };
}

it('of several tabs those count that still show the chat', async () => {
  verifies('bridge.two-tabs');
  const gone = browser({ 1: chat(), 2: null }, [1, 2]);
  await gone.look();
  expect(gone.shows()).toEqual(['1']);
  const moved = browser({ 1: chat(), 2: chat('https://chatgpt.com/c/another') }, [1, 2]);
  await moved.look();
  expect(moved.shows()).toEqual(['1']);
  const both = browser({ 1: chat(), 2: chat() }, [1, 2]);
  await both.look();
  expect(both.shows()).toEqual(['1', '2']);
});

it('one alone is not asked, and a new chat has no tab yet', async () => {
  const one = browser({ 1: null }, [1]);
  await one.look();
  await one.look(null);
  expect([one.asked, one.shows()]).toEqual([[], ['1']]);
});
