/** Claude, as far as one whole message, its answer and a stop go. Its rows name themselves only by their place. */
import type { ProjectMembership } from '../../page.ts';
import { POLICIES } from '../../policy.ts';
import type { Message, SiteAdapter } from '../../site/index.ts';
import {
  type Address,
  askAccount,
  createSite,
  pathOf,
  richText,
  type SiteParts,
  type SiteSpec,
  text,
  uuidOf,
} from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.claude;

const SPEC: SiteSpec = {
  site: 'claude',
  address: readAddress,
  project: projectNamed,
  siteName: /(^|[-–—|]\s*)Claude$/,
  editor: richText(null),
  account: ({ ask }, signal) => askAccount(ask, '/api/account', signal, ({ uuid }) => uuidOf(text(uuid)) ?? undefined),
  places: PLACES,
  labels: LABELS,
  idOf: rowId,
};

export const claude = (parts: SiteParts): SiteAdapter => createSite(SPEC, parts);

function readAddress(url: URL): Address | null {
  const words = pathOf(url, origin);
  if (words === null) return null;
  if (words.length === 0 || (words.length === 1 && words[0] === 'new')) {
    return { place: 'root', conversation: null, project: 'none' };
  }
  const id = words.length === 2 && words[0] === 'chat' ? uuidOf(words[1]) : null;
  // Only the breadcrumb over the chat says whether it is in a Project.
  return id === null ? null : { place: 'conversation', conversation: `${origin}/chat/${id}`, project: 'unknown' };
}

/** Out of the breadcrumb over the chat; `none` only once the header stands there and names no Project. */
function projectNamed(document: Document): ProjectMembership {
  const links = [...document.querySelectorAll(PLACES.projectLink)];
  const [link] = links;
  if (link === undefined) return document.querySelector(PLACES.header) === null ? 'unknown' : 'none';
  const id = links.length === 1 ? uuidOf(link.getAttribute('href')?.split('/')[2]) : null;
  return id === null ? 'unknown' : { key: `${origin}/project/${id}`, id, name: link.textContent?.trim() || null };
}

/** A row's number, when every attribute that gives it gives the same: nothing else on the page names a message. */
function rowId(message: HTMLElement, role: Message['role'], url: URL): string | null {
  const row = message.closest(PLACES.row);
  const session = readAddress(url)?.conversation?.split('/').at(-1);
  const index = row?.getAttribute('data-index') ?? '';
  if (row === null || session === undefined || !/^\d{1,6}$/.test(index) || !row.hasAttribute('data-perf-row'))
    return null;
  const agreed =
    row.getAttribute('data-rs-index') === index && row.getAttribute('aria-posinset') === String(Number(index) + 1);
  return agreed ? `claude-dom-v1:${session}:${role}:${index}` : null;
}
