/** Whether a user turn of ours with a handoff's mark stands in a conversation. Looks only. */
import type { SiteAdapter } from '../site/index.ts';

export interface MarkSeen {
  found: 'yes' | 'none' | 'unknown';
  messageId: string | null;
}

/** The page first, then the site's own server. Only the server can show that no user turn stands there at all. */
export async function findMark(
  adapter: Pick<SiteAdapter, 'messages' | 'snapshot'>,
  conversation: string,
  mark: string,
  ended: AbortSignal,
): Promise<MarkSeen> {
  const users = (adapter.messages().found?.mounted ?? []).filter(({ role }) => role === 'user');
  const shown = users.find(({ text }) => text.includes(mark));
  // Without an id it may be what the page shows before the site has taken it.
  if (shown?.id != null) return { found: 'yes', messageId: shown.id };
  const { found: server } = await adapter.snapshot(conversation, ended);
  if (server === null) return { found: 'unknown', messageId: null };
  const { latestUser, latestAssistant } = server;
  if (latestUser?.text.includes(mark)) return { found: 'yes', messageId: latestUser.id };
  const empty = latestUser === null && latestAssistant === null && users.length === 0;
  return { found: empty ? 'none' : 'unknown', messageId: null };
}
