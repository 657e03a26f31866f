/**
 * Reads the goal out of a checkpoint. The planner writes checkpoints in its own words (`goal`, `open`, `constraints` …);
 * the section `goal_supervisor`, where there is one, says the same in more detail. What does not fit is left out. Pure.
 */
import { entryIn, isObject } from '../../../../contract/json.ts';
import { fnv1a } from '../../../fnv.ts';
import {
  CONSTRAINT_CHARS,
  CONSTRAINTS_MAX,
  DECISION_CHARS,
  DECISIONS_MAX,
  OBJECTIVE_CHARS,
  REFS_MAX,
  TODO_CHARS,
  TODOS_MAX,
} from '../limits.ts';
import type { Ledger, Todo } from './types.ts';

/** Null: the checkpoint has no goal, and the conversation is not goal-aware. */
export function ledgerOf(content: Readonly<Record<string, unknown>>): Ledger | null {
  const section = objectIn(content['goal_supervisor']) ?? {};
  const objective = lineOf(
    section['objective'] ?? firstOf(content, ['goal', 'objective', 'current_goal']),
    OBJECTIVE_CHARS,
  );
  if (objective === '') return null;
  const open = section['todos'] ?? firstOf(content, ['open', 'open_work', 'todo', 'remaining']);
  return {
    objective,
    constraints: linesOf(section['constraints'] ?? content['constraints'], CONSTRAINTS_MAX, CONSTRAINT_CHARS),
    todos: todosOf(open),
    decisions: itemsOf(section['decisions'] ?? firstOf(content, ['decisions', 'decision']))
      .map((item) => ({ id: idOf(item, 'd'), text: textOf(item, DECISION_CHARS) }))
      .filter(({ text }) => text !== '')
      .slice(0, DECISIONS_MAX),
    blockers: linesOf(section['blockers'] ?? content['blockers'], CONSTRAINTS_MAX, CONSTRAINT_CHARS),
  };
}

/** The section that is written back: what the goal says now, and which decision was taken about which answer. */
export function sectionOf(
  ledger: Ledger,
  last: { decision: string; answerId: string; at: number },
): Readonly<Record<string, unknown>> {
  const { objective, constraints, todos, decisions, blockers } = ledger;
  return {
    objective,
    constraints,
    todos: todos.map(({ id, text, open, owner, evidence }) => ({
      id,
      text,
      status: open ? 'open' : 'closed',
      owner,
      evidence,
    })),
    decisions,
    blockers,
    last: { decision: last.decision, message_id: last.answerId, at_ms: last.at },
  };
}

const CLOSED: ReadonlySet<unknown> = new Set(['closed', 'done', 'completed', 'finished']);
const OWNERS: Readonly<Record<string, Todo['owner']>> = {
  human: 'person',
  person: 'person',
  user: 'person',
  external: 'outside',
  outside: 'outside',
  agent: 'outside',
};

function todosOf(value: unknown): Todo[] {
  const todos: Todo[] = [];
  for (const item of itemsOf(value)) {
    const text = textOf(item, TODO_CHARS);
    const id = idOf(item, 't');
    // Two todos of one name cannot be told apart: the first one counts.
    if (text === '' || todos.some((one) => one.id === id)) continue;
    const fields = objectIn(item) ?? {};
    todos.push({
      id,
      text,
      open: !CLOSED.has(fields['status']) && fields['done'] !== true,
      owner: entryIn(OWNERS, String(fields['owner'] ?? '')) ?? 'assistant',
      evidence: linesOf(fields['evidence'], REFS_MAX, CONSTRAINT_CHARS),
    });
    if (todos.length === TODOS_MAX) break;
  }
  return todos;
}

/** An item without an id is named by its words, so that it has the same name at the next reading. */
function idOf(item: unknown, kind: 't' | 'd'): string {
  const id = objectIn(item)?.['id'];
  const named = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
  return /^[A-Za-z0-9._:-]{1,64}$/.test(named) ? named : `${kind}_${fnv1a(textOf(item, TODO_CHARS))}`;
}

function textOf(item: unknown, limit: number): string {
  if (typeof item === 'string') return lineOf(item, limit);
  const fields = objectIn(item) ?? {};
  return lineOf(fields['text'] ?? fields['title'] ?? fields['summary'], limit);
}

function linesOf(value: unknown, count: number, limit: number): string[] {
  return itemsOf(value)
    .map((item) => textOf(item, limit))
    .filter((text) => text !== '')
    .slice(0, count);
}

const itemsOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : typeof value === 'string' && value.trim() !== '' ? [value] : [];

function firstOf(content: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return names.map((name) => content[name]).find((value) => value !== undefined && value !== null);
}

/** One line, without what cannot be seen or turns the direction of text: a site would change it on the way. */
function lineOf(value: unknown, limit: number): string {
  if (typeof value !== 'string') return Array.isArray(value) ? lineOf(value[0], limit) : '';
  return value
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, limit)
    .replace(/\p{Cs}/gu, '');
}

// biome-ignore lint/complexity/useRegexLiterals: control characters are named, not typed
const UNSEEN = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\p{Cs}]',
  'gu',
);

const objectIn = (value: unknown): Record<string, unknown> | null => (isObject(value) ? value : null);
