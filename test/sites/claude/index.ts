/** The stand-in of Claude: rows that name themselves by their number, a Project only in the breadcrumb over the chat. */
import type { BrowserContext } from 'playwright-core';
import { openPlainSite, type PlainSite } from '../base/index.ts';
import { pathOf } from './path.ts';

export const openClaude = (context: BrowserContext): Promise<PlainSite> =>
  openPlainSite(context, {
    origin: 'https://claude.ai',
    entry: new URL('page.ts', import.meta.url),
    path: pathOf,
    account: {
      path: '/api/account',
      said: (who) => (who === null ? { error: 'no session' } : { uuid: who.id, email_address: who.email }),
    },
    idFrom: ({ pathname }) => pathname.match(/^\/chat\/([^/]+)$/)?.[1] ?? null,
  });
