/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { MARK } from '../../look/icons/index.ts';
import { type Language, NO_STORE } from '../http/index.ts';
import { randomHex } from '../secrets/index.ts';
import { STYLE } from './style.ts';

/**
 * A finished page: no framing, no outside resource, one nonce for its own style and script. The address it came under
 * goes to nobody (`no-referrer`), because it holds the app's `state`. No opener policy: hosts open this page in a popup and
 * watch it, and a severed popup counts as closed. Everything that is not our own text reaches it as
 * JSX children or attributes, which escape.
 */
export function htmlPage(
  page: { language: Language; title: string; status: number; script?: string; refreshS?: number },
  content: Child,
): Response {
  const nonce = randomHex(16);
  const html = (
    <html lang={page.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {page.refreshS === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(page.refreshS)} />
          </noscript>
        )}
        <title>{page.title}</title>
        <style nonce={nonce}>{raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <header>
            {raw(MARK)}
            <span>Herdr MCP</span>
          </header>
          {content}
        </main>
        {page.script === undefined ? null : <script nonce={nonce}>{raw(page.script)}</script>}
      </body>
    </html>
  );
  return new Response(`<!doctype html>${html.toString()}`, {
    status: page.status,
    headers: {
      ...NO_STORE,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'accept-language',
    },
  });
}
