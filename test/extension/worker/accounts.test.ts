/** Whose pages the worker takes tabs for: asked of the page, believed for a moment where only refs are named, and never guessed. */
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../../extension/background/accounts.ts';
import { ACCOUNT_FRESH_MS } from '../../../extension/background/limits.ts';
import type { State } from '../../../extension/machines/worker/index.ts';
import { EMPTY } from '../../../extension/machines/worker/state.ts';
import type { SignedInHere } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

function world() {
  let now = 1_764_500_000_000;
  let state: State = EMPTY;
  const asked: number[] = [];
  const says = new Map<number, SignedInHere>();
  const accounts = createAccounts({
    seed: async () => 'a'.repeat(64),
    state: async () => state,
    nowMs: () => now,
    async askPage(tab, _, { salt }) {
      asked.push(tab);
      expect(salt).toMatch(/^[0-9a-f]{64}$/);
      expect(salt).not.toContain('aaaa');
      const value = says.get(tab);
      return value === undefined ? null : { ok: true, value };
    },
  });
  return {
    accounts,
    asked,
    says,
    later: (ms: number) => (now += ms),
    show(tab: number, document: string, page = chat()) {
      state = { ...state, tabs: { ...state.tabs, [tab]: { document, version: '1', page, state: QUIET } } };
    },
    refuse: () =>
      (state = {
        ...state,
        recovery: { ...state.recovery, backOff: { chatgpt: { count: 1, at: now, until: now + 60_000 } } },
      }),
  };
}

describe('whose page it is', () => {
  test('is asked of the page once for a while, anew for another document, and anew each time before anything is done', async () => {
    verifies('bridge.accounts');
    const it = world();
    it.show(7, 'd1');
    it.says.set(7, { account: 'jane' });
    const of = () => it.accounts.of({ site: 'chatgpt', conversation: CHAT });
    expect([await of(), await of(), it.asked.length]).toEqual(['jane', 'jane', 1]);
    it.says.set(7, { account: 'joe' });
    expect([await it.accounts.signedIn(7), await of(), it.asked.length]).toEqual([{ account: 'joe' }, 'joe', 2]);
    it.says.set(7, { account: 'jim' });
    it.later(ACCOUNT_FRESH_MS);
    expect(await of()).toBe('jim');
    it.says.set(7, { account: 'jane' });
    it.show(7, 'd2');
    expect(await of()).toBe('jane');
    // A clock that was put back makes nothing fresh.
    it.says.set(7, { account: 'joe' });
    it.later(-10 * ACCOUNT_FRESH_MS);
    expect(await of()).toBe('joe');
  });

  test('is nobody’s where no page says it, and no site is asked for it while it refuses', async () => {
    verifies('bridge.accounts', 'extension.back-off');
    const it = world();
    expect(await it.accounts.of({ site: 'chatgpt', conversation: CHAT })).toBeNull();
    expect(await it.accounts.signedIn(7)).toBeNull();
    it.show(7, 'd1');
    it.says.set(7, { account: null, why: 'signed_out' });
    expect(await it.accounts.of({ site: 'chatgpt', conversation: CHAT })).toBeNull();
    it.refuse();
    const before = it.asked.length;
    expect(await it.accounts.signedIn(7)).toEqual({ account: null, why: 'account_unknown' });
    expect(it.asked).toHaveLength(before);
  });
});
