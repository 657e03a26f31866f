/** The source of a handoff is put away only where nothing of a person's would go with it. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type MovingParts, performMoving } from '../../../extension/background/moving.ts';
import { EMPTY, type State } from '../../../extension/machines/worker/index.ts';
import type { PageState } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from '../worker/chat.ts';

const discarded: number[] = [];
let active = false;
vi.mock('wxt/browser', () => ({
  browser: {
    tabs: {
      get: async (id: number) => ({ id, active, url: CHAT }),
      discard: async (id: number) => void discarded.push(id),
    },
  },
}));
beforeEach(() => {
  discarded.length = 0;
  active = false;
});

/** `told` is what the worker heard last, `now` what the page says when it is asked; null: nobody answers. */
async function retires(told: PageState, now: PageState | null, conversation = CHAT): Promise<number[]> {
  const state: State = { ...EMPTY, tabs: { 7: { document: 'd7', version: '1', page: chat(), state: told } } };
  const parts = {
    state: async () => state,
    askPage: async () =>
      now === null ? null : { ok: true, value: { page: chat(conversation), version: '1', document: 'd7', state: now } },
  } as unknown as MovingParts;
  await performMoving(parts, { type: 'retire_tab', tab: 7, conversation: CHAT });
  return discarded;
}

describe('the source of a handoff', () => {
  it('is put away when it is quiet, and never under a person’s eyes', async () => {
    verifies('extension.handoff');
    expect(await retires(QUIET, QUIET)).toEqual([7]);
    discarded.length = 0;
    active = true;
    expect(await retires(QUIET, QUIET)).toEqual([]);
  });

  it.each<[string, PageState, PageState | null, string?]>([
    ['a draft, as it said last', { ...QUIET, draft: true }, { ...QUIET, draft: true }],
    ['a draft that was begun a moment ago', QUIET, { ...QUIET, draft: true }],
    ['a composer that cannot be read', QUIET, { ...QUIET, draft: null }],
    ['an answer that comes in', QUIET, { ...QUIET, busy: true }],
    ['a card that waits for a person', QUIET, { ...QUIET, card: true }],
    ['nobody who could say', QUIET, null],
    ['another chat by now', QUIET, QUIET, 'https://chatgpt.com/c/another'],
  ])('stays where its page holds %s', async (_name, told, now, conversation) => {
    verifies('extension.handoff');
    expect(await retires(told, now, conversation)).toEqual([]);
  });
});
