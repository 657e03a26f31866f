/** Which Project a conversation is in, from the site's own list. The list is kept for a few minutes, in memory only. */
import type { ProjectIdentity, ProjectMembership } from '../../page.ts';
import { type Ask, fetchJson, list, record, text } from '../base/index.ts';
import { ORIGIN } from './address.ts';
import { PROJECTS_FRESH_MS, PROJECTS_PAGES, PROJECTS_TIMEOUT_MS, SNAPSHOT_MAX_BYTES } from './limits.ts';

export interface Projects {
  /** `none` only when the whole list was read and does not hold the conversation. */
  membership(conversationId: string, signal: AbortSignal): Promise<ProjectMembership>;
  /** The name that the list gave, without asking. */
  nameOf(projectId: string): string | null;
}

interface Listed {
  projects: ProjectIdentity[];
  byConversation: Map<string, ProjectIdentity>;
  /** Whether every Project and every conversation of each was listed. */
  complete: boolean;
  readAtMs: number;
}

export function openProjects(ask: Ask, now: () => number): Projects {
  let listed: Listed | null = null;
  let reading: Promise<Listed | null> | null = null;
  return {
    async membership(conversationId, signal) {
      if (listed === null || now() - listed.readAtMs > PROJECTS_FRESH_MS) {
        reading ??= read(ask, signal, now()).finally(() => {
          reading = null;
        });
        listed = (await reading) ?? listed;
      }
      if (listed === null) return 'unknown';
      return listed.byConversation.get(conversationId) ?? (listed.complete ? 'none' : 'unknown');
    },
    nameOf: (projectId) => listed?.projects.find(({ id }) => id === projectId)?.name ?? null,
  };
}

async function read(ask: Ask, signal: AbortSignal, readAtMs: number): Promise<Listed | null> {
  const result: Listed = { projects: [], byConversation: new Map(), complete: true, readAtMs };
  let cursor: string | null = null;
  for (let page = 0; page < PROJECTS_PAGES; page += 1) {
    const query = new URLSearchParams({ owned_only: 'true', limit: '20', ...(cursor === null ? {} : { cursor }) });
    const body = record(
      await fetchJson(ask, `/backend-api/gizmos/snorlax/sidebar?${query}`, {
        signal,
        timeoutMs: PROJECTS_TIMEOUT_MS,
        maxBytes: SNAPSHOT_MAX_BYTES,
      }),
    );
    if (body === null) return page === 0 ? null : { ...result, complete: false };
    for (const item of list(body.items)) add(result, item);
    cursor = text(body.cursor);
    if (cursor === null) return result;
  }
  return { ...result, complete: false };
}

function add(result: Listed, item: unknown): void {
  const outer = record(record(item)?.gizmo);
  const gizmo = record(outer?.gizmo) ?? outer;
  const id = text(gizmo?.id)?.match(/^g-p-[0-9a-f]{32}/)?.[0];
  if (id === undefined) return;
  const project = { id, key: `${ORIGIN}/g/${id}`, name: text(record(gizmo?.display)?.name) };
  result.projects.push(project);
  const conversations = record(record(item)?.conversations);
  for (const each of list(conversations?.items)) {
    const conversation = text(record(each)?.id);
    if (conversation !== null) result.byConversation.set(conversation, project);
  }
  // The list names only the newest few of a long Project: what it leaves out may be any chat.
  if (conversations === null || text(conversations.cursor) !== null) result.complete = false;
}
