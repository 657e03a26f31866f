/** Who is signed in, as a page tells it: a digest that says nothing elsewhere, and unknown when the site does not say. */
import { describe, expect, test } from 'vitest';
import { createAccountLook } from '../../../extension/content/account.ts';
import type { Absence, SiteAdapter } from '../../../extension/site/index.ts';
import type { Ask } from '../../../extension/sites/base/index.ts';
import { account as chatgptAccount } from '../../../extension/sites/chatgpt/account.ts';
import { claude } from '../../../extension/sites/claude/index.ts';
import { gemini } from '../../../extension/sites/gemini/index.ts';
import { grok } from '../../../extension/sites/grok/index.ts';
import { verifies } from '../../verifies.ts';

const never = new AbortController().signal;
const UUID = '5b0f6f4e-1111-4222-8333-444455556666';

/** A site that answers one look after the other, the last one for ever. */
function look(site: SiteAdapter['site'], ...said: (string | Absence)[]) {
  let asked = 0;
  const known = new Set<string>(['missing', 'ambiguous', 'unreadable']);
  const adapter = {
    site,
    account: async () => {
      const one = said[Math.min(asked, said.length - 1)] ?? 'unreadable';
      asked += 1;
      return known.has(one) ? { found: null, why: one as Absence } : { found: one };
    },
  } as unknown as SiteAdapter;
  const clock = { now: () => 0, pause: () => Promise.resolve(), every: () => undefined };
  return { ...createAccountLook({ adapter, clock, ended: never }), asked: () => asked };
}

describe('who is signed in', () => {
  test('is the same for the same account of the same site in this browser, another one anywhere else, and never readable', async () => {
    verifies('bridge.accounts');
    const digest = async (site: SiteAdapter['site'], salt: string, who: string) =>
      (await look(site, who).signedIn(salt)).account;
    const jane = await digest('claude', 'salt', 'jane@example.com');
    expect(jane).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest('claude', 'salt', 'jane@example.com')).toBe(jane);
    const others = [
      await digest('claude', 'other profile', 'jane@example.com'),
      await digest('grok', 'salt', 'jane@example.com'),
      await digest('claude', 'salt', 'joe@example.com'),
    ];
    expect(new Set([jane, ...others]).size).toBe(4);
  });

  test('is asked again while the site does not say, and is unknown after that; nobody is nobody at once', async () => {
    verifies('bridge.accounts');
    const late = look('claude', 'unreadable', 'jane');
    expect((await late.signedIn('s')).account).not.toBeNull();
    const silent = look('claude', 'unreadable');
    expect(await silent.signedIn('s')).toEqual({ account: null, why: 'account_unknown' });
    expect(silent.asked()).toBe(3);
    const out = look('claude', 'missing');
    expect(await out.signedIn('s')).toEqual({ account: null, why: 'signed_out' });
    expect(out.asked()).toBe(1);
    const mute = createAccountLook({
      adapter: { site: 'zai' } as SiteAdapter,
      clock: { now: () => 0, pause: () => Promise.resolve(), every: () => undefined },
      ended: never,
    });
    expect(await mute.signedIn('s')).toEqual({ account: null, why: 'account_unknown' });
  });

  test('stands against what is meant for another account, for one when nobody is known, and for none', async () => {
    verifies('bridge.accounts');
    const { account: digest } = await look('claude', 'jane').signedIn('s');
    const meant = { salt: 's', digest: digest ?? '' };
    expect(await look('claude', 'jane').objection(meant)).toBeNull();
    expect(await look('claude', 'joe').objection(meant)).toBe('account_changed');
    expect(await look('claude', 'missing').objection(meant)).toBe('signed_out');
    expect(await look('claude', 'ambiguous').objection(meant)).toBe('account_unknown');
    const unasked = look('claude', 'joe');
    expect(await unasked.objection(undefined)).toBeNull();
    expect(unasked.asked()).toBe(0);
  });
});

const answering =
  (body: unknown, status = 200): Ask =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
const page = (ask: Ask, document = {} as Document) => ({
  document,
  address: () => new URL('https://claude.ai/new'),
  ask,
  pause: () => Promise.resolve(),
});
const unreadable = { found: null, why: 'unreadable' };
const nobody = { found: null, why: 'missing' };

describe('what a site says of it', () => {
  test.each([
    ['a person', { user: { id: 'user-1', email: 'jane@example.com' }, accessToken: 't' }, '["user-1",null]'],
    ['a person in a workspace', { user: { id: 'user-1' }, account: { id: 'ws-1' } }, '["user-1","ws-1"]'],
    ['nobody', {}, nobody],
    ['a token of nobody', { accessToken: 't' }, unreadable],
    ['a person without an id', { user: { email: 'jane@example.com' } }, unreadable],
    ['something else', '<html>', unreadable],
  ])('ChatGPT: %s', async (_, body, expected) => {
    verifies('bridge.accounts');
    const found = typeof expected === 'string' ? { found: expected } : expected;
    expect(await chatgptAccount(answering(body), never)).toEqual(found);
    expect(await chatgptAccount(answering(body, 503), never)).toEqual(unreadable);
  });

  test.each([
    ['Claude', claude, { uuid: UUID, email_address: 'jane@example.com' }, { found: UUID }],
    ['Claude', claude, { uuid: 'jane' }, unreadable],
    ['Claude', claude, { error: 'no session' }, unreadable],
    ['Grok', grok, { user: { userId: 'u1', email: 'jane@example.com' } }, { found: 'u1' }],
    ['Grok', grok, { user: null }, nobody],
    ['Grok', grok, { user: { email: 'jane@example.com' } }, unreadable],
  ])('%s', async (_, make, body, expected) => {
    verifies('bridge.accounts');
    expect(await make(page(answering(body))).account?.(never)).toEqual(expected);
  });

  test.each([
    ['one address', ['Google Account: Jane (Jane@example.com)'], { found: 'jane@example.com' }],
    [
      'the same one twice',
      ['Google-Konto: jane@example.com', 'Jane\n(jane@example.com)'],
      { found: 'jane@example.com' },
    ],
    ['two', ['a@example.com', 'b@example.com'], { found: null, why: 'ambiguous' }],
    ['none', ['Google Account: Jane'], unreadable],
    ['Sign in', null, nobody],
  ])('Gemini: %s', async (_, labels, expected) => {
    verifies('bridge.accounts');
    const document = {
      querySelectorAll: () => (labels ?? []).map((label) => ({ getAttribute: () => label })),
      querySelector: () => (labels === null ? {} : null),
    } as unknown as Document;
    expect(await gemini(page(answering({}), document)).account?.(never)).toEqual(expected);
  });
});
