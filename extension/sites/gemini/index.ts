/** Gemini, as far as one whole message, its answer and a stop go. Question and answer share the id of their exchange. */
import { POLICIES } from '../../policy.ts';
import type { Message, SiteAdapter } from '../../site/index.ts';
import {
  type Address,
  createSite,
  pathOf,
  richText,
  type SiteParts,
  type SiteSpec,
  titleBefore,
} from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.gemini;

const SPEC: SiteSpec = {
  site: 'gemini',
  address: readAddress,
  title: (shown) => titleBefore(shown, /(^|[-–—|]\s*)(Google )?Gemini$/),
  editor: richText(null),
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

function exchangeId(message: HTMLElement, role: Message['role']): string | null {
  const id = message.closest(PLACES.exchange)?.id ?? '';
  return /^[0-9a-f]{8,64}$/.test(id) ? `${id}:${role}` : null;
}
