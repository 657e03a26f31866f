/** The pure decisions of the identity half, row by row. */

import { describe, expect, it } from 'vitest';
import { displayName, isLocalRedirect, redirectHost } from '../../../edge/auth/app.ts';
import { freshForMs, refuseAddress } from '../../../edge/auth/clients/document-rules.ts';
import { presentedBy } from '../../../edge/auth/credentials.ts';
import { Locks } from '../../../edge/auth/locks.ts';
import { makeRoom } from '../../../edge/auth/requests.ts';
import { dueEnd } from '../../../edge/auth/sweeping.ts';
import { nameFor } from '../../../edge/fleet/names.ts';
import {
  callerAddress,
  canonicalResource,
  isForeign,
  languageOf,
  originOf,
  parseOrigins,
  RateWindow,
} from '../../../edge/http/index.ts';
import { digest, pageToken, sameSecret, seal, sixDigits, unseal } from '../../../edge/secrets/index.ts';
import { verifies } from '../../verifies.ts';

const DAY = 86_400_000;

describe('when a connector ends by itself', () => {
  it.each([
    ['approved', 0, null, null, 19 * 60_000, undefined],
    ['approved', 0, null, null, 21 * 60_000, 'never_connected'],
    ['approved', 0, 1000, null, 29 * DAY, undefined],
    ['approved', 0, 1000, null, 31 * DAY, 'idle'],
    ['approved', 0, 1000, 20 * DAY, 45 * DAY, undefined],
    ['approved', 0, 1000, 20 * DAY, 51 * DAY, 'idle'],
    ['revoking', 0, 1000, null, 99 * DAY, undefined],
    ['revoked', 0, null, null, 99 * DAY, undefined],
  ] as const)(
    '%s approved %i connected %s used %s at %i: %s',
    (state, approvedAtMs, connectedAtMs, lastUsedAtMs, now, due) => {
      expect(dueEnd({ state, approvedAtMs, connectedAtMs, lastUsedAtMs }, now)).toBe(due);
    },
  );
});

describe('who makes room for a new sign-in', () => {
  const held = (addresses: string) => [...addresses].map((address, n) => ({ requestId: `${address}${n}`, address }));
  it.each([
    ['aaaaaaaa', 'b', 'a0'],
    ['aaaaaaaa', 'a', undefined],
    ['abcdefgh', 'z', undefined],
    ['abcdefgg', 'z', 'g6'],
    ['aaabbbcc', 'c', undefined],
    ['aaaabbcc', 'c', 'a0'],
    ['', 'a', undefined],
  ])('%s, newcomer %s: %s', (open, newcomer, displaced) => {
    expect(makeRoom(held(open), newcomer)).toBe(displaced);
  });
});

describe('what a stranger’s name becomes', () => {
  it.each([
    ['Chat', 'Chat'],
    ['  two\n lines ', 'two lines'],
    ['left\u202eright', 'left right'],
    ['zero\u200bwidth', 'zero width'],
    ['\u0007', undefined],
    [undefined, undefined],
    ['x'.repeat(200), `${'x'.repeat(79)}…`],
    ['😀'.repeat(100), `${'😀'.repeat(79)}…`],
  ])('%j: %j', (name, shown) => expect(displayName(name)).toBe(shown));
});

describe('where a redirect goes', () => {
  it.each([
    ['https://app.host.dev/cb?x=1', 'app.host.dev', false],
    ['http://127.0.0.1:3000/cb', '127.0.0.1:3000', true],
    ['http://localhost/cb', 'localhost', true],
    ['http://[::1]:9/cb', '[::1]:9', true],
    ['cursor://anysphere.cursor-mcp/cb', 'cursor://anysphere.cursor-mcp/cb', true],
    ['https://127.evil.dev/cb', '127.evil.dev', false],
    ['com.app:/cb\u202eexe.\u200b', 'com.app:/cb%E2%80%AEexe.%E2%80%8B', true],
    ['com.app:cb and chatgpt.com\u2028', 'com.app:cb%20and%20chatgpt.com%E2%80%A8', true],
  ])('%s', (uri, host, local) => {
    expect(redirectHost(uri)).toBe(host);
    expect(isLocalRedirect(uri)).toBe(local);
  });
});

describe('which addresses are fetched', () => {
  it.each([
    ['https://chat.host.dev/client.json', true],
    ['https://chat.host.dev/a?b=c', true],
    ['https://sub.chat.host.dev/x/y/z.json', true],
    ['https://chat.host.dev', false],
    ['https://10.0.0.1/c', false],
    ['https://0x7f000001/c', false],
    ['https://127.1/c', false],
    ['https://[fd00::1]/c', false],
    ['https://printer/c', false],
    ['https://a.home.arpa/c', false],
    ['https://a.localhost/c', false],
    ['https://chat.host.dev/%2e%2e/c', false],
    ['https://chat.host.dev\\@evil.dev/c', false],
    [' https://chat.host.dev/c', false],
    ['ftp://chat.host.dev/c', false],
  ])('%s: %s', (address, allowed) => expect(refuseAddress(address) === undefined).toBe(allowed));
});

describe('how long a document is fresh', () => {
  it.each([
    [null, 300_000],
    ['max-age=60', 300_000],
    ['public, max-age=3600', 3_600_000],
    ['max-age=999999999', DAY],
    ['no-store', 300_000],
    ['no-cache, max-age=3600', 300_000],
  ])('%s: %i ms', (header, ms) => expect(freshForMs(header)).toBe(ms));
});

describe('who presents itself', () => {
  it.each([
    ['client_id=a', null, { clientId: 'a' }],
    ['client_id=a&client_secret=b', null, { clientId: 'a', clientSecret: 'b' }],
    ['', `Basic ${btoa('a:b')}`, { clientId: 'a', clientSecret: 'b', basic: `Basic ${btoa('a:b')}` }],
    ['', `Basic ${btoa('a%3Ab:c+d')}`, { clientId: 'a:b', clientSecret: 'c d', basic: `Basic ${btoa('a%3Ab:c+d')}` }],
    ['', 'Bearer x', { clientId: '' }],
  ])('%s with %s', (form, header, presented) =>
    expect(presentedBy(new URLSearchParams(form), header)).toEqual(presented),
  );
});

describe('the name of a new device', () => {
  it.each([
    [['Studio', 'host'], [], 'Studio'],
    [[null, 'host'], [], 'host'],
    [[null, ' '], [], 'dev_x'],
    [['Studio'], ['Studio'], 'Studio 2'],
    [['Studio'], ['Studio', 'Studio 2'], 'Studio 3'],
  ])('%j beside %j: %s', (wished, taken, name) => expect(nameFor(wished, 'dev_x', new Set(taken))).toBe(name));
});

describe('origins', () => {
  it('are bare, the first is advertised, and a request under none of them gets that one', () => {
    const origins = parseOrigins(' https://a.dev , https://b.dev:8443/');
    expect(origins).toEqual({ first: 'https://a.dev', all: ['https://a.dev', 'https://b.dev:8443'], loopback: false });
    expect(originOf(origins, 'https://b.dev:8443/x')).toBe('https://b.dev:8443');
    expect(originOf(origins, 'https://evil.dev/x')).toBe('https://a.dev');
    for (const wrong of ['', ' , ', 'https://a.dev/mcp', 'a.dev', 'ftp://a.dev'])
      expect(() => parseOrigins(wrong)).toThrow();
  });

  it.each([
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/mcp', null, false],
    ['http://127.0.0.1:8787', 'http://localhost:9000/mcp', 'http://localhost:6274', false],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787', 'https://claude.ai', false],
    ['http://127.0.0.1:8787', 'http://evil.dev/mcp', null, true],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/mcp', 'http://evil.dev', true],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/mcp', 'null', true],
    ['http://127.0.0.1:8787', 'http://127.0.0.1.evil.dev/mcp', null, true],
    ['https://a.dev', 'https://evil.dev/mcp', 'https://evil.dev', false],
    ['http://localhost:8787,https://a.dev', 'https://a.dev/mcp', null, false],
  ])('of an edge at %s, a request to %s from %s is foreign: %s', (list, url, origin, foreign) => {
    verifies('edge.rebinding');
    expect(isForeign(parseOrigins(list), url, origin)).toBe(foreign);
  });

  it.each([
    [undefined, 'https://a.dev/mcp'],
    ['', 'https://a.dev/mcp'],
    ['https://a.dev', 'https://a.dev/mcp'],
    ['https://a.dev/', 'https://a.dev/mcp'],
    ['https://a.dev/mcp/', 'https://a.dev/mcp'],
    ['https://a.dev/other', 'https://a.dev/other'],
    ['https://b.dev/mcp', 'https://b.dev/mcp'],
  ])('resource %s means %s', (asked, meant) => expect(canonicalResource('https://a.dev', asked)).toBe(meant));
});

describe('a caller and a language', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'local'],
  ])('%s counts as %s', (address, counted) => {
    expect(callerAddress(new Headers(address === undefined ? {} : { 'cf-connecting-ip': address }))).toBe(counted);
  });

  it.each([
    [null, 'en'],
    ['ja', 'ja'],
    ['ja-JP,ja;q=0.9,en;q=0.8', 'ja'],
    ['fr, zh-Hans;q=0.5, en;q=0.4', 'zh'],
    ['en;q=0, zh;q=0.1', 'zh'],
    ['de-CH', 'en'],
    ['ja;q=junk', 'en'],
  ])('%s reads %s', (header, language) => expect(languageOf(header)).toBe(language));
});

describe('a rate window', () => {
  it('lets as many through as it says, tells how long to wait, and starts anew', () => {
    const window = new RateWindow(2);
    expect([window.hit('a', 1_000_000), window.hit('a', 1_000_001), window.hit('b', 1_000_002)]).toEqual([0, 0, 0]);
    expect(window.hit('a', 1_010_000)).toBe(50_000);
    expect(window.hit('a', 1_060_000)).toBe(0);
  });
});

describe('locks', () => {
  it('run one after the other for a name, beside each other for two, and survive a failure', async () => {
    const locks = new Locks();
    const order: string[] = [];
    let free: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (free = resolve));
    const first = locks.run('a', async () => {
      await gate;
      order.push('a1');
      throw new Error('broken');
    });
    const second = locks.run('a', async () => order.push('a2'));
    await locks.run('b', async () => order.push('b'));
    free();
    await expect(first).rejects.toThrow('broken');
    await second;
    expect(order).toEqual(['b', 'a1', 'a2']);
  });
});

describe('secrets', () => {
  it('compare by content, seal for one secret and purpose, and derive codes apart for each purpose', async () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', '']) expect(sameSecret('abc', other)).toBe(false);
    const sealed = await seal('secret', 'one', 'text');
    expect(await unseal('secret', 'one', sealed)).toBe('text');
    expect(await unseal('secret', 'two', sealed)).toBeUndefined();
    expect(await unseal('other', 'one', sealed)).toBeUndefined();
    expect(await unseal('secret', 'one', btoa('short'))).toBeUndefined();
    const codes = await Promise.all([
      sixDigits('s', 'pairing-code', 'x'),
      sixDigits('s', 'approval-code', 'x'),
      sixDigits('t', 'pairing-code', 'x'),
      sixDigits('s', 'pairing-code', 'y'),
    ]);
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    expect(new Set(codes).size).toBe(4);
    expect(await sixDigits('s', 'pairing-code', 'x')).toBe(codes[0]);
    expect(await pageToken('s', 'x')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await digest('p', 'a', 'bc')).not.toBe(await digest('p', 'ab', 'c'));
  });
});
