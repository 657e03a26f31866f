/** The pages of the edge as they are sent: who asks, the problems, the end of a request, the pairing address. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { LANGUAGES, type Language } from '../../../look/words/index.ts';
import { ROOT } from '../../../scripts/build/index.ts';
import { chromiumPath } from '../chromium.ts';

/** The door of `edge/consent`, as far as it is used: its own types belong to the Worker's world. */
interface Consent {
  renderSignIn(language: Language, view: SignIn): Response;
  renderProblem(language: Language, problem: string, detail?: string): Response;
  renderEnded(language: Language, state: 'locked' | 'expired'): Response;
  renderPairPage(language: Language): Response;
}

interface SignIn {
  requestId: string;
  code: string;
  pageToken: string;
  app: { client_id: string; name: string; redirect_host: string; verified_domain?: string };
  loopback: boolean;
  scopes: readonly string[];
  expiresAtMs: number;
}

const PHONE = { width: 390, height: 780 };
const DESKTOP = { width: 1000, height: 900 };

/** The pages are JSX, which Node does not read by itself. */
async function consent(): Promise<Consent> {
  const folder = mkdtempSync(join(tmpdir(), 'he-'));
  const outfile = join(folder, 'consent.mjs');
  await build({
    entryPoints: [join(ROOT, 'edge', 'consent', 'index.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['cloudflare:*'],
    logLevel: 'error',
  });
  try {
    return (await import(pathToFileURL(outfile).href)) as Consent;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ASKS: SignIn = {
  requestId: 'req_7c2e91d04b5a',
  code: '481502',
  pageToken: 'page',
  app: { client_id: 'a', name: 'ChatGPT', redirect_host: 'chatgpt.com' },
  loopback: false,
  scopes: ['mcp', 'offline_access'],
  expiresAtMs: 0,
};

/** Every picture says nine minutes. */
const soon = (view: SignIn): SignIn => ({ ...view, expiresAtMs: Date.now() + 9 * 60_000 });

export async function takeEdge(folder: string): Promise<void> {
  const { renderEnded, renderPairPage, renderProblem, renderSignIn } = await consent();
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  try {
    for (const language of LANGUAGES) {
      const verified = {
        ...ASKS.app,
        client_id: 'https://claude.ai/c',
        name: 'Claude',
        verified_domain: 'claude.ai',
        redirect_host: 'localhost:41733',
      };
      const pages: Record<string, () => Response> = {
        unverified: () => renderSignIn(language, soon(ASKS)),
        verified_local: () => renderSignIn(language, soon({ ...ASKS, app: verified, loopback: true })),
        long_name: () =>
          renderSignIn(
            language,
            soon({ ...ASKS, app: { ...ASKS.app, name: 'VeryLongNameWithoutAnySpace'.repeat(3) } }),
          ),
        problem: () => renderProblem(language, 'unknown_app', 'client_id names no registered client'),
        locked: () => renderEnded(language, 'locked'),
        expired: () => renderEnded(language, 'expired'),
        pair: () => renderPairPage(language),
      };
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport: PHONE, colorScheme, deviceScaleFactor: 2 });
        const page = await context.newPage();
        await page.route('**/*', (route) => {
          const name = new URL(route.request().url()).pathname.slice(1);
          const answer = pages[name]?.();
          // The page asks whether it was decided: not yet.
          if (answer === undefined) return route.fulfill({ json: { state: 'pending' } });
          return answer.text().then((body) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
        });
        const take = async (name: string, title = name, act: () => Promise<unknown> = async () => undefined) => {
          await page.goto(`https://edge.test/${name}`);
          await act();
          await page.screenshot({ path: join(folder, `${title}.${language}.${colorScheme}.png`), fullPage: true });
        };
        for (const name of Object.keys(pages)) await take(name);
        for (const state of ['approved', 'denied', 'expired']) {
          await take('unverified', `asked_${state}`, () =>
            page.evaluate((shown) => {
              for (const part of document.querySelectorAll<HTMLElement>('[data-state]')) {
                part.hidden = part.dataset['state'] !== shown;
              }
            }, state),
          );
        }
        await page.setViewportSize(DESKTOP);
        await take('unverified', 'unverified_desktop');
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
}
