/**
 * The pages that the edge shows a person, in a real Chromium under their own headers: on the narrowest phone, in every
 * language and state, with the longest words that a stranger may put into them.
 */
import axe from 'axe-core';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LANGUAGES, type Language } from '../../../look/words/index.ts';
import { verifies } from '../../verifies.ts';
import { chromiumPath } from '../chromium.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The narrowest phone, in CSS pixels. */
const PHONE = { width: 320, height: 640 };
const ADDRESS = 'http://edge.test/page';

interface Pages {
  renderSignIn(language: Language, view: object): Response;
  renderProblem(language: Language, problem: string, detail?: string): Response;
  renderEnded(language: Language, state: string): Response;
  renderPairPage(language: Language): Response;
}

let browser: Browser;
let page: Page;
let pages: Pages;
/** What the edge answers now. */
let shown: { answer: Response; poll: string | undefined };
beforeAll(async () => {
  const { outputFiles } = await build({
    ...{ entryPoints: ['edge/consent/index.ts'], bundle: true, write: false, format: 'esm', platform: 'node' },
  });
  pages = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`);
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: PHONE });
  await page.route('**/*', async (route) => {
    if (route.request().method() === 'POST') return route.fulfill({ json: { state: shown.poll } });
    const { answer } = shown;
    await route.fulfill({ body: await answer.clone().text(), headers: Object.fromEntries(answer.headers) });
  });
});
afterAll(() => browser.close());

const LONG = 'W'.repeat(60);
const app = { client_id: 'c', name: `${LONG} ${LONG}`, redirect_host: `${LONG}.${LONG}.example` };
const signIn = (language: Language, more: object = {}) =>
  pages.renderSignIn(language, {
    ...{ requestId: `req_${'0'.repeat(16)}`, code: '000000', pageToken: 't', app, loopback: true },
    ...{ scopes: ['mcp', 'offline_access', `scope:${LONG}`], expiresAtMs: Date.now() + 60_000, ...more },
  });

const verified = (language: Language) =>
  signIn(language, { app: { ...app, verified_domain: app.redirect_host }, loopback: false });

/** Each page, how it looks at its accessibility check, and what the poll of its own script is answered. */
const SHOWN: [string, Language, 'light' | 'dark', (language: Language) => Response, string?][] = [
  ['the sign-in page', 'en', 'light', signIn, 'pending'],
  ['the sign-in page of a verified app', 'ja', 'dark', verified, 'pending'],
  ['a sign-in that expired while it was shown', 'zh', 'light', signIn, 'expired'],
  ['a sign-in that is locked', 'en', 'dark', signIn, 'locked'],
  ['a sign-in that cannot start', 'ja', 'light', (as) => pages.renderProblem(as, 'bad_request', `${LONG}=${LONG}`)],
  ['a sign-in that has ended', 'zh', 'dark', (as) => pages.renderEnded(as, 'locked')],
  ['the pairing address', 'en', 'light', (as) => pages.renderPairPage(as)],
];

async function open(answer: Response, poll?: string): Promise<void> {
  shown = { answer, poll };
  await page.goto(ADDRESS);
  if (poll !== undefined) await page.locator(`[data-state="${poll}"]`).waitFor();
}

/** What axe finds, as short sentences. */
async function problems(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (Reflect.get(globalThis, 'axe') as typeof axe).run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

/** What sticks out of the window, or out of its own box. */
const overflowing = (): Promise<string[]> =>
  page.evaluate(() => {
    const out = [...document.querySelectorAll<HTMLElement>('body, body *')].filter((one) => {
      const { right, left, width } = one.getBoundingClientRect();
      if (!one.checkVisibility() || width === 0 || one.matches('svg *')) return false;
      return right > innerWidth + 1 || left < -1 || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1);
    });
    return out.map((one) => `${one.tagName} ${one.className}: ${(one.textContent ?? '').slice(0, 60)}`);
  });

describe('on a phone', () => {
  it.each(SHOWN)('%s fits in every language, and everybody can read it', async (_, language, scheme, render, poll) => {
    verifies('edge.pages-access');
    await page.emulateMedia({ colorScheme: scheme });
    for (const one of LANGUAGES) {
      await open(render(one), poll);
      expect(await overflowing()).toEqual([]);
      expect(await page.locator('html').getAttribute('lang')).toBe(one);
      if (one === language) expect(await problems()).toEqual([]);
    }
  });

  it('one that does neither is found', async () => {
    await open(pages.renderPairPage('en'));
    await page.evaluate(() => {
      const bad = document.createElement('button');
      bad.style.cssText = 'width: 400px';
      document.querySelector('main')?.append(bad);
    });
    expect((await problems()).join()).toContain('button-name');
    expect((await overflowing()).join()).toContain('BUTTON');
  });
});
