/** What ends a chat or an answer is pressed once, for the account that is meant, and a chat under nothing that would be lost. */
import { describe, expect, test } from 'vitest';
import { createPresses } from '../../../extension/content/press.ts';
import type { Reason } from '../../../extension/messages.ts';
import type { SiteAdapter } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat } from '../worker/chat.ts';

interface Page {
  streaming: boolean | null;
  /** Who spoke last, as the page shows it. */
  last: 'user' | 'assistant';
  /** How many looks pass before the answer to the last message is shown; it is then being written. */
  answersAfter: number;
  draft: string | null;
  attached: boolean;
  card: boolean;
  delivering: boolean;
  place: string;
  account: Reason | null;
  server: { finished: 'finished' | 'unfinished' | 'unknown'; currentRole: 'user' | 'assistant' | 'unknown' } | null;
  /** What the server says of the archive: each look takes the next one, the last for ever. */
  archived: (boolean | null)[];
}

const QUIET: Page = {
  streaming: false,
  last: 'assistant',
  answersAfter: Number.POSITIVE_INFINITY,
  draft: '',
  attached: false,
  card: false,
  delivering: false,
  place: CHAT,
  account: null,
  server: { finished: 'finished', currentRole: 'assistant' },
  archived: [false, true],
};

/** `opened` happens while the menu of the chat is drawn. */
function open(given: Partial<Page> = {}, opened: Partial<Page> = {}) {
  const page: Page = { ...QUIET, ...given };
  const archived = [...page.archived];
  const done: string[] = [];
  let now = 0;
  const look = <T>(found: T | null) => (found === null ? { found: null, why: 'missing' as const } : { found });
  const adapter = {
    site: 'chatgpt',
    stop: () => look(page.streaming === true ? ('stop' as unknown as HTMLElement) : null),
    streaming: () => look(page.streaming),
    draft: () => look(page.draft),
    messages: () => look({ mounted: [{ role: page.last, id: 'm', text: '' }] }),
    attached: () => page.attached,
    cardWaiting: () => page.card,
    snapshot: async () => look(page.server),
    press(control: unknown) {
      done.push(`press ${String(control)}`);
      if (control === 'stop') page.streaming = false;
    },
    archive: {
      async entry() {
        done.push('menu');
        Object.assign(page, opened);
        return look('archive' as unknown as HTMLElement);
      },
      dismiss: () => done.push('dismiss'),
      done: async () => (archived.length > 1 ? archived.shift() : archived[0]) ?? null,
    },
  } as unknown as SiteAdapter;
  const presses = createPresses({
    adapter,
    clock: {
      now: () => now,
      async pause(ms) {
        now += ms;
        page.answersAfter -= 1;
        if (page.answersAfter <= 0) Object.assign(page, { last: 'assistant', streaming: true, answersAfter: Infinity });
      },
      every: () => undefined,
    },
    ended: new AbortController().signal,
    page: () => chat(page.place),
    account: { objection: async () => page.account, signedIn: async () => ({ account: null, why: 'signed_out' }) },
    isDelivering: () => page.delivering,
  });
  return { done, press: (what: 'stop' | 'archive', id = 'a') => presses.press({ id, what }, CHAT) };
}

const IN_THE_WAY: [string, Partial<Page>, Reason][] = [
  ['an answer that comes in', { streaming: true }, 'turn_in_progress'],
  ['a page that cannot be read', { streaming: null }, 'page_unreadable'],
  ['a draft', { draft: 'Wait, ' }, 'user_typing'],
  ['a composer that cannot be read', { draft: null }, 'composer_missing'],
  ['a file beside the words', { attached: true }, 'user_typing'],
  ['a card', { card: true }, 'card_waiting'],
  ['a message of ours on its way', { delivering: true }, 'wake_in_flight'],
];

describe('a chat is archived', () => {
  test('by one press, when its server says that it was not and then that it is', async () => {
    verifies('bridge.archive');
    const { done, press } = open();
    const pressed = { ok: true, value: { pressed: true, done: true, reason: null } };
    expect(await press('archive')).toEqual(pressed);
    // Asked again for the same one: it is the same press.
    expect(await press('archive')).toEqual(pressed);
    expect(done).toEqual(['menu', 'press archive']);
  });

  test.each(IN_THE_WAY)('not under %s', async (_, given, reason) => {
    verifies('bridge.archive');
    const before = open(given);
    expect(await before.press('archive')).toEqual({ ok: true, value: { pressed: false, done: false, reason } });
    expect(before.done).toEqual([]);
    // Nor when it began while the menu opened; that is closed again.
    const since = open({}, given);
    expect(await since.press('archive')).toEqual({ ok: true, value: { pressed: false, done: false, reason } });
    expect(since.done).toEqual(['menu', 'dismiss']);
  });

  test.each<[string, Partial<Page>, Reason]>([
    [
      'an answer that the page does not show',
      { server: { finished: 'unfinished', currentRole: 'assistant' } },
      'turn_in_progress',
    ],
    ['a message without its answer', { server: { finished: 'unknown', currentRole: 'user' } }, 'turn_in_progress'],
    ['a server that cannot be asked what came of it', { archived: [null] }, 'server_unknown'],
    ['another account', { account: 'account_changed' }, 'account_changed'],
    ['nobody signed in', { account: 'signed_out' }, 'signed_out'],
  ])('not under %s', async (_, given, reason) => {
    verifies('bridge.archive', 'bridge.accounts');
    const { done, press } = open(given);
    expect(await press('archive')).toEqual({ ok: true, value: { pressed: false, done: false, reason } });
    expect(done).toEqual([]);
  });

  test('not in another chat than the one that is meant, also when the page became that while the menu opened', async () => {
    verifies('bridge.archive');
    const elsewhere = 'https://chatgpt.com/c/22222222-bbbb';
    expect(await open({ place: elsewhere }).press('archive')).toEqual({ ok: false, reason: 'conversation_changed' });
    const moved = open({}, { place: elsewhere });
    expect(await moved.press('archive')).toMatchObject({ value: { pressed: false, reason: 'conversation_changed' } });
    expect(moved.done).toEqual(['menu', 'dismiss']);
  });

  test('a server that says it late leaves a doubt, which is looked for on; one that says that it is archived, nothing to press', async () => {
    verifies('bridge.archive');
    const late = open({ archived: [false] });
    expect(await late.press('archive')).toEqual({
      ok: true,
      value: { pressed: true, done: false, reason: 'server_unknown' },
    });
    expect(late.done).toEqual(['menu', 'press archive']);
    const already = open({ archived: [true], streaming: true });
    expect(await already.press('archive')).toMatchObject({ value: { pressed: false, done: true } });
    expect(already.done).toEqual([]);
  });
});

describe('an answer is stopped', () => {
  test('by one press, for the account that is meant', async () => {
    verifies('bridge.accounts');
    const { done, press } = open({ streaming: true });
    expect(await press('stop')).toMatchObject({ value: { pressed: true, done: true } });
    expect(done).toEqual(['press stop']);
    const another = open({ streaming: true, account: 'account_changed' });
    expect(await another.press('stop')).toMatchObject({ value: { pressed: false, reason: 'account_changed' } });
    expect(another.done).toEqual([]);
  });

  test('that is not shown yet is waited for, and one that is never shown is not said to have been stopped', async () => {
    verifies('bridge.local-agents');
    const soon = open({ last: 'user', answersAfter: 3 });
    expect(await soon.press('stop')).toMatchObject({ value: { pressed: true, done: true } });
    expect(soon.done).toEqual(['press stop']);
    const never = open({ last: 'user' });
    expect(await never.press('stop')).toMatchObject({ value: { pressed: false, done: false } });
    expect(never.done).toEqual([]);
    const over = open();
    expect(await over.press('stop')).toMatchObject({ value: { pressed: false, done: true, reason: null } });
  });
});
