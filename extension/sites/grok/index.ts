/** Grok, as far as one whole message, its answer and a stop go. */
import { POLICIES } from '../../policy.ts';
import type { Message, SiteAdapter } from '../../site/index.ts';
import {
  type Address,
  askAccount,
  createSite,
  pathOf,
  record,
  richText,
  type SiteParts,
  type SiteSpec,
  text,
  uuidOf,
} from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.grok;

const SPEC: SiteSpec = {
  site: 'grok',
  address: readAddress,
  siteName: /(^|[-–—|]\s*)Grok$/,
  editor: richText(null),
  account: ({ ask }, signal) => askAccount(ask, '/api/auth/session', signal, userOf),
  places: PLACES,
  labels: LABELS,
  idOf: responseId,
};

export const grok = (parts: SiteParts): SiteAdapter => createSite(SPEC, parts);

/** `/c/<uuid>`, or below a Project `/project/<uuid>?chat=<uuid>`: one chat, one key. A query with two chats names none. */
function readAddress(url: URL): Address | null {
  const words = pathOf(url, origin);
  if (words === null) return null;
  if (words.length === 0) return { place: 'root', conversation: null, project: 'none' };
  const [first, second] = words;
  const id = words.length === 2 ? uuidOf(second) : null;
  if (id === null) return null;
  if (first === 'c') return { place: 'conversation', conversation: `${origin}/c/${id}`, project: 'unknown' };
  const chats = url.searchParams.getAll('chat');
  const chat = first === 'project' && chats.length === 1 ? uuidOf(chats[0]) : null;
  if (chat === null) return null;
  const project = { key: `${origin}/project/${id}`, id, name: null };
  return { place: 'conversation', conversation: `${origin}/c/${chat}`, project };
}

/** A session of nobody holds no user. */
function userOf({ user }: Record<string, unknown>): string | null | undefined {
  if (user == null) return null;
  return text(record(user)?.['id']) ?? text(record(user)?.['userId']) ?? undefined;
}

function responseId(message: HTMLElement, role: Message['role']): string | null {
  const id = uuidOf(message.closest(PLACES.response)?.id.slice('response-'.length));
  return id === null ? null : `${id}:${role}`;
}
