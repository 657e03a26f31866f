/** Gemini, as far as one whole message, its answer and a stop go. Question and answer share the id of their exchange. */
import { POLICIES } from '../../policy.ts';
import type { Look, Message, SiteAdapter } from '../../site/index.ts';
import { type Address, createSite, pathOf, richText, type SiteParts, type SiteSpec } from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.gemini;

const SPEC: SiteSpec = {
  site: 'gemini',
  address: readAddress,
  siteName: /(^|[-–—|]\s*)(Google )?Gemini$/,
  editor: richText(null),
  account: async ({ document }) => accountNamed(document),
  places: PLACES,
  labels: LABELS,
  idOf: exchangeId,
};

export const gemini = (parts: SiteParts): SiteAdapter => createSite(SPEC, parts);

const ID = /^[A-Za-z0-9_-]{8,128}$/;

/** `/app/<id>` and `/spark/chat/<id>`, also below the number of an account (`/u/1`). */
function readAddress(url: URL): Address | null {
  const given = pathOf(url, origin);
  if (given === null) return null;
  const words = given[0] === 'u' && /^\d{1,2}$/.test(given[1] ?? '') ? given.slice(2) : given;
  const [first, second, third] = words;
  if (words.length === 1 && first === 'app') return { place: 'root', conversation: null, project: 'none' };
  if (words.length === 2 && first === 'app' && second !== undefined && ID.test(second)) {
    return { place: 'conversation', conversation: `${origin}/app/${second}`, project: 'none' };
  }
  const spark = words.length === 3 && first === 'spark' && second === 'chat' && third !== undefined && ID.test(third);
  return spark ? { place: 'conversation', conversation: `${origin}/spark/chat/${third}`, project: 'none' } : null;
}

/** The account's button names it by its address; a page without one and with Sign in is nobody's. */
function accountNamed(document: Document): Look<string> {
  const labels = [...document.querySelectorAll(PLACES.account)].map((each) => each.getAttribute('aria-label') ?? '');
  const named = new Set(labels.flatMap((label) => label.toLowerCase().match(ADDRESS) ?? []));
  const [only] = named;
  if (only !== undefined) return named.size === 1 ? { found: only } : { found: null, why: 'ambiguous' };
  return { found: null, why: document.querySelector(PLACES.signIn) === null ? 'unreadable' : 'missing' };
}

const ADDRESS = /[^\s()<>]+@[^\s()<>]+/g;

function exchangeId(message: HTMLElement, role: Message['role']): string | null {
  const id = message.closest(PLACES.exchange)?.id ?? '';
  return /^[0-9a-f]{8,64}$/.test(id) ? `${id}:${role}` : null;
}
