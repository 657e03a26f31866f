import { describe, expect, it } from 'vitest';
import {
  renderEnded,
  renderPairPage,
  renderProblem,
  renderSignIn,
  type SignIn,
  WORDS,
} from '../../../edge/consent/index.ts';
import type { Language } from '../../../edge/http/index.ts';
import { verifies } from '../../verifies.ts';

const LANGUAGES: Language[] = ['en', 'ja', 'zh'];

const view = (changes: Partial<SignIn> = {}): SignIn => ({
  requestId: 'req_0123456789abcdef',
  code: '012345',
  pageToken: 'page-token',
  app: { client_id: 'abc', name: 'Chat', redirect_host: 'app.host.dev' },
  loopback: false,
  scopes: ['mcp', 'offline_access'],
  expiresAtMs: 1_700_000_000_000,
  ...changes,
});

describe('the sign-in page', () => {
  it.each(LANGUAGES)('says in %s who asks, where it goes, what it gets, the code and the command', async (language) => {
    verifies('oauth.consent');
    const html = await renderSignIn(language, view()).text();
    const words = WORDS[language];
    for (const text of [
      'Chat',
      'app.host.dev',
      '012345',
      'herdr-mcp connector approve',
      words.unverified,
      words.scopes['mcp'],
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain(`<html lang="${language}"`);
    expect(html).toContain('width=device-width');
    expect(html).toContain('herdr-mcp connector approve</pre>');
  });

  it('shows a verified domain instead of a warning, and warns of a local redirect', async () => {
    const app = {
      client_id: 'https://chat.host.dev/c',
      name: 'Chat',
      verified_domain: 'chat.host.dev',
      redirect_host: 'localhost:1',
    };
    const html = await renderSignIn('en', view({ app, loopback: true })).text();
    expect(html).toContain('chat.host.dev');
    expect(html).not.toContain(WORDS.en.unverified);
    expect(html).toContain(WORDS.en.loopback);
  });

  it('escapes everything that a stranger chose', async () => {
    verifies('oauth.consent');
    const evil = '"><script>alert(1)</script>\'&$&';
    const html = await renderSignIn(
      'en',
      view({
        app: { client_id: evil, name: evil, verified_domain: evil, redirect_host: evil },
        scopes: [evil],
        requestId: evil,
        pageToken: evil,
      }),
    ).text();
    expect(html).not.toContain('<script>alert');
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toContain('$&{app}');
  });

  it('cannot be framed, loads nothing, keeps its address to itself, and is never kept', async () => {
    verifies('oauth.consent');
    const pages = [
      renderSignIn('en', view()),
      renderProblem('en', 'unknown_app'),
      renderEnded('en', 'locked'),
      renderPairPage('en'),
    ];
    for (const page of pages) {
      const policy = page.headers.get('content-security-policy') ?? '';
      const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(policy)?.[1];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'none'");
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      const html = await page.text();
      for (const [, used] of html.matchAll(/nonce="([^"]*)"/g)) expect(used).toBe(nonce);
      expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
      expect(html).not.toMatch(/ on\w+=/);
    }
  });

  it('speaks three languages with equal keys', () => {
    const shape = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value;
    expect(shape(WORDS.ja)).toEqual(shape(WORDS.en));
    expect(shape(WORDS.zh)).toEqual(shape(WORDS.en));
    for (const language of LANGUAGES) expect(WORDS[language].asks).toContain('{app}');
  });
});
