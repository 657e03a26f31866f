/** The one way to send, step by step, on a page where anything may happen in between. */
import { describe, expect, test } from 'vitest';
import { CLAIM_FRESH_MS } from '../../../extension/machines/page/index.ts';
import type { Reason } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { type At, type Composer, page, WAKE } from './page.ts';

describe('a message on its way into a page', () => {
  test('is pressed once, and its new turn proves it', async () => {
    verifies('extension.wake');
    const { pressed, run, it } = page(null, () => undefined);
    expect(await run()).toMatchObject({ state: 'sent', messageId: 'u1' });
    expect(pressed).toEqual([WAKE]);
    expect(it.draft).toBe('');
  });

  test('is seen in a tab that sleeps a minute between two looks, once', async () => {
    verifies('extension.wake');
    const { pressed, run } = page('claimed', (it) => {
      it.sleepy = true;
    });
    expect(await run()).toMatchObject({ state: 'sent', messageId: 'u1' });
    expect(pressed).toEqual([WAKE]);
  });

  test('meant for an account is typed for no other, and taken away again when another one came while it was typed', async () => {
    verifies('bridge.accounts');
    for (const reason of ['account_changed', 'signed_out', 'account_unknown'] as const) {
      let typed = '';
      const before = page('inserted', (it) => (typed = it.draft), undefined, [reason]);
      expect(await before.run()).toEqual({ state: 'blocked', reason });
      expect(typed).toBe('');
      const since = page('inserted', (it) => (typed = it.draft), undefined, [null, reason]);
      expect(await since.run()).toEqual({ state: 'blocked', reason });
      expect([typed, since.it.draft, since.pressed]).toEqual([WAKE, '', []]);
    }
    const same = page(null, () => undefined, undefined, [null, null]);
    expect(await same.run()).toMatchObject({ state: 'sent' });
  });

  test('is not typed into a page whose chat went on elsewhere', async () => {
    verifies('extension.wake');
    const { pressed, run, it } = page(
      'inserting',
      (it) => it.end(),
      undefined,
      [],
      async () => true,
    );
    expect(await run()).toEqual({ state: 'blocked', reason: 'page_behind' });
    expect([pressed, it.draft]).toEqual([[], '']);
    const same = page(
      null,
      () => undefined,
      undefined,
      [],
      async () => false,
    );
    expect(await same.run()).toMatchObject({ state: 'sent' });
  });

  test('is typed in Chat mode only', async () => {
    verifies('extension.chat-mode');
    let typed = '';
    const work = page('inserted', (it) => (typed = it.draft));
    work.it.chatMode = false;
    expect(await work.run()).toEqual({ state: 'blocked', reason: 'mode_unclear' });
    expect([typed, work.pressed]).toEqual(['', []]);
  });

  const types = (it: Composer) => {
    it.draft += ' and mine';
  };
  const replaces = (it: Composer) => {
    it.draft = 'only mine';
  };
  const drops = (it: Composer) => {
    it.draft = WAKE.slice(0, 9);
  };
  const loses = (it: Composer) => {
    it.draft = 'Read it.';
  };
  const sends = (it: Composer) => {
    it.draft = '';
  };
  const leaves = (it: Composer) => {
    it.place = 'https://chatgpt.com/c/another';
  };
  const asks = (it: Composer) => {
    it.card = true;
  };
  const hides = (it: Composer) => {
    it.send = false;
  };
  const attaches = (it: Composer) => {
    it.attached = true;
  };
  const answers = (it: Composer) => {
    it.streaming = true;
  };
  const ends = (it: Composer) => it.end();
  const freezes = (it: Composer) => it.sleep(CLAIM_FRESH_MS + 1);
  test.each<[string, At, (it: Composer) => void, Reason, string]>([
    ['a person types just before it is put in', 'inserting', replaces, 'user_typing', 'only mine'],
    ['the page takes only its beginning', 'inserted', drops, 'insert_failed', ''],
    ['the page takes only some of its lines', 'inserted', loses, 'insert_failed', ''],
    ['a person types into it while it is put in', 'inserted', types, 'user_typing', `${WAKE} and mine`],
    ['a person types instead of it', 'inserted', replaces, 'user_typing', 'only mine'],
    ['a person types while the worker writes the claim', 'claimed', types, 'user_typing', `${WAKE} and mine`],
    ['a person replaces it then', 'claimed', replaces, 'user_typing', 'only mine'],
    ['a person sends it, or takes it away, then', 'claimed', sends, 'insert_failed', ''],
    ['the tab goes to another chat before the claim', 'claiming', leaves, 'conversation_changed', ''],
    ['the tab goes to another chat after the claim', 'claimed', leaves, 'conversation_changed', ''],
    ['a permission card comes up', 'claimed', asks, 'card_waiting', ''],
    ['an answer begins', 'claimed', answers, 'turn_in_progress', ''],
    ['a person adds a file', 'claimed', attaches, 'user_typing', ''],
    ['Send goes away', 'claimed', hides, 'send_missing', ''],
    ['Send never comes', 'inserted', hides, 'send_missing', ''],
    ['the tab was frozen while it waited for its leave', 'claimed', freezes, 'worker_unavailable', ''],
    ['the extension is reloaded', 'claimed', ends, 'extension_reloaded', ''],
  ])('is not pressed when %s', async (_name, at, act, reason, left) => {
    verifies('extension.wake');
    const { pressed, run, it } = page(at, act);
    expect(await run()).toEqual({ state: 'blocked', reason });
    expect(pressed).toEqual([]);
    // Our own text goes again, and a person's words stay.
    expect(it.draft).toBe(left);
  });

  test.each<At>(['inserted', 'looking', 'claiming', 'claimed'])(
    'that a person has sent by an Enter of their own (%s) is sent, and not once more',
    async (at) => {
      verifies('extension.wake');
      const { pressed, run, it } = page(at, (it) => it.enter(), undefined, [null, null]);
      expect(await run()).toMatchObject({ state: 'sent', messageId: 'u1' });
      expect([pressed, it.draft]).toEqual([[], '']);
    },
  );

  test.each<Reason>(['worker_unavailable', 'wake_in_flight', 'auto_off', 'unbound', 'storage_unavailable'])(
    'is not pressed when its claim is answered %s',
    async (reason) => {
      verifies('extension.wake');
      const { pressed, run, it } = page(null, () => undefined, { ok: false, reason });
      expect(await run()).toEqual({ state: 'blocked', reason });
      expect(pressed).toEqual([]);
      expect(it.draft).toBe('');
    },
  );

  test('whose text stands there from an attempt that was cut off is sent as it stands', async () => {
    verifies('extension.wake');
    const { pressed, run, it } = page(null, () => undefined);
    it.draft = WAKE;
    expect(await run()).toMatchObject({ state: 'sent' });
    expect(pressed).toEqual([WAKE]);
  });

  test.each(['The w', 'T', 'Read it.', 'The work has settled.\n'])(
    'takes away no word of a person that is like the beginning of it, or one of its lines: %j',
    async (words) => {
      verifies('extension.wake');
      // Begun while the site was asked who is signed in, which takes a moment.
      const { pressed, run, it } = page('looking', (it) => (it.draft = words), undefined, [null, null]);
      expect(await run()).toEqual({ state: 'blocked', reason: 'user_typing' });
      expect([pressed, it.draft]).toEqual([[], words]);
    },
  );

  test('is not put beside a file that a person adds while the site is asked, or while they write elsewhere on the page', async () => {
    verifies('extension.wake');
    let typed = '';
    let asked = 0;
    const { run, it } = page(
      'looking',
      (it) => {
        asked += 1;
        it.attached = true;
        typed = it.draft;
      },
      undefined,
      [null, null],
    );
    expect(await run()).toEqual({ state: 'blocked', reason: 'user_typing' });
    expect([asked, typed, it.draft]).toEqual([1, '', '']);
  });

  test('waits for no draft of a person', async () => {
    verifies('extension.wake');
    const { pressed, run, it } = page(null, () => undefined);
    it.draft = 'half a thought';
    expect(await run()).toEqual({ state: 'blocked', reason: 'user_typing' });
    expect(pressed).toEqual([]);
    expect(it.draft).toBe('half a thought');
  });
});
