/** When an answer is complete: by the site's server, else by two looks; a part of one is none. */
import { describe, expect, it } from 'vitest';
import { createSettled } from '../../../extension/content/settled.ts';
import type { Look, ServerView, SiteAdapter } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat } from '../worker/chat.ts';

const user = { role: 'user' as const, id: 'm1', text: 'Which test shows it?' };
const whole = { role: 'assistant' as const, id: 'a1', text: 'This one, and that one.' };
const server = (more: Partial<ServerView> = {}): Look<ServerView> => ({
  found: {
    latestUser: user,
    latestAssistant: whole,
    currentRole: 'assistant',
    finished: 'finished',
    updatedAtMs: null,
    ...more,
  },
});
const silent = (why: 'unsupported' | 'unreadable'): Look<ServerView> => ({ found: null, why });
const NONE = { user: null, assistant: null };
const ASKED = { user: { id: 'm1', text: user.text }, assistant: null };
const WHOLE = { user: { id: 'm1', text: user.text }, assistant: { id: 'a1', text: whole.text } };

function page(said: Look<ServerView>, shown: readonly (string | null)[], options: { heldMs?: number } = {}) {
  let place = CHAT;
  let [looked, asked] = [0, 0];
  const settled = createSettled({
    adapter: {
      snapshot: async () => {
        asked += 1;
        return said;
      },
      health: { heldMs: () => options.heldMs ?? 0 } as NonNullable<SiteAdapter['health']>,
    },
    clock: { now: () => 0, pause: () => Promise.resolve(), every: () => undefined },
    ended: new AbortController().signal,
    page: () => chat(place),
    latest: () => {
      const text = shown[Math.min(looked, shown.length - 1)] ?? null;
      looked += 1;
      return text === null ? NONE : { user: { id: 'm1', text: user.text }, assistant: { id: 'a1', text } };
    },
  });
  return { ...settled, asked: () => asked, go: (to: string) => (place = to) };
}

describe('the answer of a page', () => {
  it.each<[string, Look<ServerView>, readonly (string | null)[], typeof WHOLE | typeof ASKED | typeof NONE]>([
    ['complete by its server, whose words count', server(), ['This one'], WHOLE],
    ['a part of one that its server still writes', server({ finished: 'unfinished' }), ['This one'], ASKED],
    ['one of which its server does not know whether it is whole', server({ finished: 'unknown' }), ['This one'], ASKED],
    ['one that a person has followed up', server({ currentRole: 'user' }), ['This one'], ASKED],
    ['one that its server has not', server({ latestAssistant: null }), ['This one'], ASKED],
    ['the same in two looks, where no server is asked', silent('unsupported'), [whole.text, whole.text], WHOLE],
    ['the same in two looks, where the server does not answer', silent('unreadable'), [whole.text, whole.text], WHOLE],
    ['still growing there', silent('unsupported'), ['This one', whole.text], ASKED],
    ['being written again there', silent('unsupported'), [whole.text, null], ASKED],
    ['none', server(), [null], NONE],
  ])('%s', async (_name, said, shown, turn) => {
    verifies('bridge.local-agents');
    expect(await page(said, shown).answer({ of: null }, CHAT)).toEqual({ ok: true, value: { page: chat(), ...turn } });
  });

  it('is asked of no server when it answers another message than the one that is waited for', async () => {
    verifies('bridge.local-agents');
    const other = page(server(), [whole.text]);
    expect(await other.answer({ of: ['m0', 'm9'] }, CHAT)).toMatchObject({ value: NONE });
    expect(other.asked()).toBe(0);
    // One of these, or one that was named by its words: then the page's ids say nothing.
    for (const of of [['m0', 'm1'], ['jt:0123'], ['m0', 'jt:0123']])
      expect(await page(server(), [whole.text]).answer({ of }, CHAT), of.join()).toMatchObject({ value: WHOLE });
  });

  it('is asked of no server while its site refuses, and is not taken for another chat’s', async () => {
    verifies('extension.back-off');
    const held = page(server(), [whole.text], { heldMs: 1_000 });
    expect(await held.answer({ of: null }, CHAT)).toMatchObject({ value: NONE });
    expect(held.asked()).toBe(0);
    const moved = page(server(), [whole.text]);
    const answer = moved.answer({ of: null }, CHAT);
    moved.go('https://chatgpt.com/c/another');
    expect(await answer).toEqual({ ok: false, reason: 'conversation_changed' });
    expect(await moved.answer({ of: null }, null)).toMatchObject({ ok: false });
  });
});
