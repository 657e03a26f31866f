/** Chats that are archived through the delivery service, as the tests of it ask for them. */
import { createHash } from 'node:crypto';
import { userTextForm } from '../../../contract/browser/user-text.ts';
import { CLI, call, now, registry, report, type Signed } from './played.ts';

/** As the extension tells it: a digest of the words, never the words. */
export const digest = (text: string) => createHash('sha256').update(userTextForm(text)).digest('hex');

/** A person's turn in a chat: it goes on, or has ended. */
export function turn(who: Signed, session_ref: string, text: string, more: { id?: string; ended?: boolean } = {}) {
  const { id = text, ended = false } = more;
  const given = { session_ref, expected_generation: who.generation, turn_id: id, user_text_sha256: digest(text) };
  const seen = { in_progress: true, started_at: now, observed_at: now };
  const told = registry('source_turn.observe', { ...given, ...seen });
  if (ended) registry('source_turn.observe', { ...given, ...seen, in_progress: false, observed_at: now + 1 });
  return told;
}

export const archive = (params: object, from: object = CLI) =>
  call('browser_session.archive', { idempotency_key: 'k', wait_ms: 0, ...params }, from);

export const QUEUED = { code: 'delivery_uncertain', delivery_state: 'uncertain', execution_state: 'queued' };
export const refused = (code: string) => ({ ok: false, code, delivery: 'not_delivered' });
export const archived = (who: Signed, session_ref: string) => report(who, { session_ref, lifecycle: 'archived' });
