/** z.ai: a text area, answers in Markdown, messages with ids of their own. Experimental; the site itself speaks no MCP. */
import { POLICIES } from '../../policy.ts';
import type { SiteAdapter } from '../../site/index.ts';
import { type Address, createSite, pathOf, plainText, type SiteParts, type SiteSpec } from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.zai;

const SPEC: SiteSpec = {
  site: 'zai',
  address: zaiAddress,
  siteName: /(^|\s*[-–—|]\s*)Z\.ai( Chat)?$/i,
  editor: plainText,
  places: PLACES,
  labels: LABELS,
  idOf: (message) => /^message-([\w-]{1,128})$/.exec(message.closest(PLACES.message)?.id ?? '')?.[1] ?? null,
};

export const zai = (parts: SiteParts): SiteAdapter => createSite(SPEC, parts);

/** `/` begins chats and is none; `/c/<id>` is one. Everything else is no chat of ours. */
export function zaiAddress(url: URL): Address | null {
  const words = pathOf(url, origin);
  if (words === null) return null;
  if (words.length === 0) return { place: 'root', conversation: null, project: 'none' };
  const id = words.length === 2 && words[0] === 'c' && /^[\w-]{1,128}$/.test(words[1] ?? '') ? words[1] : undefined;
  return id === undefined ? null : { place: 'conversation', conversation: `${origin}/c/${id}`, project: 'none' };
}
