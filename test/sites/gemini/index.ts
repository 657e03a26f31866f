/** The stand-in of Gemini: custom elements, a line a paragraph, question and answer under the one id of their exchange. */
import type { BrowserContext } from 'playwright-core';
import { openPlainSite, type PlainSite } from '../base/index.ts';
import { pathOf } from './path.ts';

export const openGemini = (context: BrowserContext): Promise<PlainSite> =>
  openPlainSite(context, {
    origin: 'https://gemini.google.com',
    entry: new URL('page.ts', import.meta.url),
    path: pathOf,
    idFrom: ({ pathname }) => pathname.match(/\/app\/([^/]+)$/)?.[1] ?? null,
  });
