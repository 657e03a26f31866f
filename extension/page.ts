/**
 * What a page is, as far as its address and its own lists say so. Keys are canonical: one conversation has one key,
 * whichever of its addresses a tab shows, so that two tabs of one conversation are seen to be the same.
 */

/** Sites that have an adapter. */
export const SITES = ['chatgpt', 'claude', 'gemini', 'grok', 'zai', 'deepseek'] as const;
export type SiteId = (typeof SITES)[number];

export interface ProjectIdentity {
  /** `https://chatgpt.com/g/g-p-<32 hex>`: no slug, which is display only. */
  key: string;
  /** `g-p-<32 hex>`. */
  id: string;
  /** For display; null when nothing shows it. */
  name: string | null;
}

/** Where a conversation stands: in a Project, certainly in none, or we cannot tell yet. Unknown is not `none`. */
export type ProjectMembership = ProjectIdentity | 'none' | 'unknown';

export interface PageIdentity {
  site: SiteId;
  /** `root`: no chat yet. `project`: a Project's home, no chat yet. `conversation`: a chat that has an id. */
  place: 'root' | 'project' | 'conversation';
  /** `https://chatgpt.com/c/<id>`, also for a chat that is shown below its Project. Null unless `place` is `conversation`. */
  conversation: string | null;
  project: ProjectMembership;
  /** The tab's address as it is. Never compared, only opened. */
  url: string;
  /** The chat's name for display; null when nothing shows it. */
  title: string | null;
  /** The chat was begun in this very page: a person sent its first message from the launcher. */
  born?: true;
}

/** The Project that is known for certain, else null. */
export function projectOf(identity: Pick<PageIdentity, 'project'>): ProjectIdentity | null {
  return typeof identity.project === 'string' ? null : identity.project;
}

/** Two pages are the same place when they would receive the same message. The title and the slug do not count. */
export function samePlace(a: PageIdentity | null, b: PageIdentity | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.site !== b.site || a.place !== b.place || a.conversation !== b.conversation) return false;
  return a.place !== 'project' || projectOf(a)?.key === projectOf(b)?.key;
}
