/** The stand-in of z.ai: a controlled text area, answers drawn from Markdown with an editor for code, messages with ids. */
import type { BrowserContext } from 'playwright-core';
import { openPlainSite, type PlainSite } from '../base/index.ts';
import { pathOf } from './path.ts';

export const openZai = (context: BrowserContext): Promise<PlainSite> =>
  openPlainSite(context, {
    origin: 'https://chat.z.ai',
    entry: new URL('page.ts', import.meta.url),
    path: pathOf,
    idFrom: ({ pathname }) => pathname.match(/^\/c\/([^/]+)$/)?.[1] ?? null,
  });
