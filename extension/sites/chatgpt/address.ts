/** What an address of ChatGPT says. The slug after a Project's id is for display and is always dropped. */
import type { ProjectMembership } from '../../page.ts';

export const ORIGIN = 'https://chatgpt.com';

export type Address =
  | { place: 'root'; conversation: null; project: 'none' }
  | { place: 'project'; conversation: null; project: { key: string; id: string; name: null } }
  | { place: 'conversation'; conversation: string; project: ProjectMembership };

/** Null for what is no chat: settings, the library, a share, another origin. */
export function readAddress(url: URL): Address | null {
  if (url.origin !== ORIGIN) return null;
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') return { place: 'root', conversation: null, project: 'none' };
  const match = path.match(/^(?:\/g\/(g-p-[0-9a-f]{32})(?:-[^/]*)?)?(?:(\/project)|\/c\/([A-Za-z0-9_-]+))?$/);
  if (match === null) return null;
  const [, id, , chat] = match;
  const project = id === undefined ? null : { key: `${ORIGIN}/g/${id}`, id, name: null };
  if (chat !== undefined) {
    // A chat may be shown outside its Project: only the site's own list can say that it is in none.
    return { place: 'conversation', conversation: `${ORIGIN}/c/${chat}`, project: project ?? 'unknown' };
  }
  return project === null ? null : { place: 'project', conversation: null, project };
}

/** The id behind a conversation's key. */
export function conversationId(key: string): string | null {
  return key.startsWith(`${ORIGIN}/c/`) ? key.slice(ORIGIN.length + 3) : null;
}
