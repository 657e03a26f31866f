/**
 * Reads what the supervising model said. One JSON object with the known members and nothing else; whatever is missing, too
 * long, of another kind or of another name makes the whole reply nothing. Pure.
 */
import { isObject } from '../../../../contract/json.ts';
import { MESSAGE_CHARS, REASON_CHARS, REFS_MAX, SUPERVISOR_REPLY_CHARS_MAX, TODOS_MAX } from '../limits.ts';
import { DECISIONS, type Said } from './types.ts';

const MEMBERS: ReadonlySet<string> = new Set([
  'decision',
  'reason',
  'message',
  'todo_ids',
  'evidence_refs',
  'closes',
  'decision_ref',
]);
const CLOSE_MEMBERS: ReadonlySet<string> = new Set(['todo_id', 'evidence_refs']);
const REF_CHARS_MAX = 200;

export function saidOf(reply: unknown): Said | null {
  if (typeof reply !== 'string' || reply.length > SUPERVISOR_REPLY_CHARS_MAX) return null;
  const given = parsed(reply.trim());
  if (given === null || !onlyMembers(given, MEMBERS)) return null;
  const decision = DECISIONS.find((one) => one === given['decision']);
  const reason = textOf(given['reason'], REASON_CHARS);
  const message = textOf(given['message'] ?? '', MESSAGE_CHARS);
  const todoIds = refsOf(given['todo_ids'] ?? [], TODOS_MAX);
  const evidence = refsOf(given['evidence_refs'] ?? [], REFS_MAX);
  const closes = closesOf(given['closes'] ?? []);
  const ref = given['decision_ref'] ?? null;
  const decisionRef = ref === null ? null : textOf(ref, REF_CHARS_MAX);
  if (decision === undefined || reason === null || reason.trim() === '' || message === null) return null;
  if (todoIds === null || evidence === null || closes === null || (ref !== null && decisionRef === null)) return null;
  return { decision, reason, message, todoIds, evidence, closes, decisionRef };
}

/** The object itself, or one fence around it and nothing else. */
function parsed(reply: string): Record<string, unknown> | null {
  const fenced = /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(reply)?.[1] ?? reply;
  if (!fenced.trimStart().startsWith('{')) return null;
  try {
    return objectIn(JSON.parse(fenced));
  } catch {
    return null; // no JSON is nothing said
  }
}

function closesOf(value: unknown): Said['closes'] | null {
  if (!Array.isArray(value) || value.length > TODOS_MAX) return null;
  const closes: { todo: string; evidence: readonly string[] }[] = [];
  for (const item of value) {
    const fields = objectIn(item);
    if (fields === null || !onlyMembers(fields, CLOSE_MEMBERS)) return null;
    const todo = textOf(fields['todo_id'], REF_CHARS_MAX);
    const evidence = refsOf(fields['evidence_refs'], REFS_MAX);
    if (todo === null || todo === '' || evidence === null) return null;
    closes.push({ todo, evidence });
  }
  return closes;
}

function refsOf(value: unknown, count: number): string[] | null {
  if (!Array.isArray(value) || value.length > count) return null;
  const refs = value.map((one) => textOf(one, REF_CHARS_MAX));
  return refs.every((one) => one !== null) ? refs : null;
}

const textOf = (value: unknown, limit: number): string | null =>
  typeof value === 'string' && value.length <= limit ? value : null;

const onlyMembers = (given: Record<string, unknown>, known: ReadonlySet<string>): boolean =>
  Object.getOwnPropertyNames(given).every((name) => known.has(name));

const objectIn = (value: unknown): Record<string, unknown> | null => (isObject(value) ? value : null);
