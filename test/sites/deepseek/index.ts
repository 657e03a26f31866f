/**
 * The stand-in of DeepSeek: a controlled text area that Enter sends and whose button has no name, a list of which only the
 * end is mounted, messages whose numbers stand there on some days only.
 */
import type { BrowserContext } from 'playwright-core';
import { openPlainSite, type PlainSite } from '../base/index.ts';
import { pathOf } from './path.ts';

export const openDeepSeek = (context: BrowserContext): Promise<PlainSite> =>
  openPlainSite(context, {
    origin: 'https://chat.deepseek.com',
    entry: new URL('page.ts', import.meta.url),
    path: pathOf,
    idFrom: ({ pathname }) => pathname.match(/^\/a\/chat\/s\/([^/]+)$/)?.[1] ?? null,
  });
