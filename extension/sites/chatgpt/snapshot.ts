/**
 * What the site's server says of a conversation. Two shapes are known: a list of messages, and a tree with its current
 * node. The access token is read, used for this one question, and kept nowhere.
 */

import type { Look, Message, ServerView } from '../../site/index.ts';
import { type Ask, fetchJson, list, MESSAGE_MAX_CHARS, record, text } from '../base/index.ts';
import { readSession } from './account.ts';
import { SNAPSHOT_MAX_BYTES, SNAPSHOT_TIMEOUT_MS, SNAPSHOT_TURNS, SNAPSHOT_WALK } from './limits.ts';

export async function readServer(ask: Ask, conversationId: string, signal: AbortSignal): Promise<Look<ServerView>> {
  const view = readSnapshot(await readConversation(ask, conversationId, signal));
  return view === null ? { found: null, why: 'unreadable' } : { found: view };
}

/** The conversation as the server gives it, in either shape; null: it gives nothing that can be read. */
export async function readConversation(
  ask: Ask,
  conversationId: string,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  const session = await readSession(ask, signal);
  const bearer = text(session?.accessToken);
  if (bearer === null) return null;
  const path = `/backend-api/conversations/${encodeURIComponent(conversationId)}?include_has_versions=true&num_turns=${SNAPSHOT_TURNS}`;
  const body = await fetchJson(ask, path, {
    signal,
    timeoutMs: SNAPSHOT_TIMEOUT_MS,
    maxBytes: SNAPSHOT_MAX_BYTES,
    bearer,
  });
  return record(body);
}

/** Null for a shape that is not known. Pure: shown by a table of both shapes. */
function readSnapshot(body: unknown): ServerView | null {
  const whole = record(body);
  if (whole === null) return null;
  const chain = chainOf(whole);
  if (chain === null) return null;
  const spoken = chain.filter(({ role }) => role === 'user' || role === 'assistant');
  const latestUserAt = spoken.findLastIndex(({ role }) => role === 'user');
  const current = chain.at(-1);
  const assistant = spoken.slice(latestUserAt + 1).at(-1);
  return {
    latestUser: message(spoken[latestUserAt]),
    latestAssistant: message(assistant),
    currentRole: current?.role === 'user' || current?.role === 'assistant' ? current.role : 'unknown',
    finished: assistant === undefined ? 'unknown' : finishedness(assistant.raw),
    updatedAtMs: latestTime(whole, spoken),
  };
}

interface Node {
  role: string | null;
  raw: Record<string, unknown>;
}

/** Oldest first, the current message last. Hidden and empty nodes of the tree are passed over. */
function chainOf(whole: Record<string, unknown>): Node[] | null {
  if (Array.isArray(whole.messages)) {
    return whole.messages.flatMap((each: unknown) => node(record(each)));
  }
  const mapping = record(whole.mapping);
  let at = text(whole.current_node);
  if (mapping === null || at === null) return null;
  const chain: Node[] = [];
  const seen = new Set<string>();
  while (at !== null && !seen.has(at) && seen.size < SNAPSHOT_WALK) {
    seen.add(at);
    const entry = record(mapping[at]);
    if (entry === null) return null;
    chain.unshift(...node(record(entry.message)));
    at = text(entry.parent);
  }
  return chain;
}

function node(raw: Record<string, unknown> | null): Node[] {
  if (raw === null) return [];
  return [{ role: text(record(raw.author)?.role), raw }];
}

function message(of: Node | undefined): Message | null {
  if (of === undefined || (of.role !== 'user' && of.role !== 'assistant')) return null;
  const parts = list(record(of.raw.content)?.parts).filter((part): part is string => typeof part === 'string');
  return { role: of.role, id: text(of.raw.id), text: parts.join('\n').trim().slice(0, MESSAGE_MAX_CHARS) };
}

const ENDINGS: ReadonlySet<unknown> = new Set(['stop', 'max_tokens', 'length']);

function finishedness(raw: Record<string, unknown>): ServerView['finished'] {
  const finish = record(record(raw.metadata)?.finish_details)?.type;
  if (raw.end_turn === true || ENDINGS.has(finish)) return 'finished';
  if (raw.end_turn === false || raw.status === 'in_progress' || raw.status === 'streaming') return 'unfinished';
  return raw.status === 'finished_successfully' ? 'finished' : 'unknown';
}

function latestTime(whole: Record<string, unknown>, spoken: readonly Node[]): number | null {
  const last = spoken.at(-1)?.raw;
  const seconds = [last?.update_time, last?.create_time, whole.update_time].filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
  );
  return seconds.length === 0 ? null : Math.round(Math.max(...seconds) * 1000);
}
