/** The stand-in of Grok: a chat has one of two addresses, and its messages stand below the id of a response. */
import type { BrowserContext } from 'playwright-core';
import { openPlainSite, type PlainSite } from '../base/index.ts';
import { pathOf } from './path.ts';

export const openGrok = (context: BrowserContext): Promise<PlainSite> =>
  openPlainSite(context, {
    origin: 'https://grok.com',
    entry: new URL('page.ts', import.meta.url),
    path: pathOf,
    account: {
      path: '/api/auth/session',
      said: (who) => ({ user: who === null ? null : { userId: who.id, email: who.email, givenName: 'Jane' } }),
    },
    idFrom: ({ pathname, searchParams }) => pathname.match(/^\/c\/([^/]+)$/)?.[1] ?? searchParams.get('chat'),
  });
