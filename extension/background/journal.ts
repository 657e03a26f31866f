/**
 * Both sides of every finished turn of a bound conversation, into the runtime's journal. Best effort beside everything
 * else and never in its way: a turn that could not be written is asked for again from the page at the next connect. Only
 * ids wait in the storage, never words.
 */
import { type Binding, conversationRows } from '../machines/worker/index.ts';
import type { Turn } from '../messages.ts';
import { type PageIdentity, projectOf } from '../page.ts';
import { POLICIES } from '../policy.ts';
import { JOURNAL_RETRY_MS, TURN_CHARS_MAX } from './limits.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface JournalParts {
  runtime: RuntimeDoor;
  nowMs: () => number;
  pause: (ms: number) => Promise<void>;
  /** The runtime keeps the conversation under another chain. */
  canonical: (was: string, continuityId: string) => void;
  /** Could not be written now. */
  missed: (conversation: string) => void;
}

/** Writes one turn. A page that belongs to two chains is not guessed about. */
export async function journalTurn(
  parts: JournalParts,
  rows: readonly Binding[],
  page: PageIdentity,
  role: 'user' | 'assistant',
  turn: Turn,
): Promise<boolean> {
  const own = conversationRows(rows, page);
  const chains = new Set(own.map(({ continuityId }) => continuityId));
  const [row] = own;
  if (!row || chains.size !== 1 || page.conversation === null || turn.text.trim() === '') return false;
  // Only ChatGPT's server is asked for a turn; where the page alone speaks, an id is never made up.
  if (turn.id === null && POLICIES[page.site].bridge) return false;
  const body = {
    continuity_id: row.continuityId,
    conversation_url: page.conversation,
    workspace_id: row.workspace,
    project_id: projectOf(page)?.id ?? row.project?.id ?? '',
    title: page.title ?? '',
    message_id: turn.id ?? (await derivedId(page.conversation, role, turn.text)),
    role,
    text: turn.text.slice(0, TURN_CHARS_MAX),
    observed_at: parts.nowMs(),
  };
  for (const wait of [0, ...JOURNAL_RETRY_MS]) {
    if (wait > 0) await parts.pause(wait);
    const { durable, continuityId, final } = await parts.runtime.journal(body);
    if (continuityId !== null && continuityId !== row.continuityId) parts.canonical(row.continuityId, continuityId);
    if (durable || final) return durable;
  }
  parts.missed(page.conversation);
  return false;
}

/** The same turn has the same id, so that writing it twice records it once. */
export async function derivedId(conversation: string, role: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([conversation, role, text]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `jt:${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
