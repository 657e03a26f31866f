/**
 * Whether what the supervising model said may be followed. The model proposes; the ledger, what this workstation has seen
 * and how things stand decide. A denial sends nothing. Pure.
 */
import { CONTINUES_MAX, RECOVERS_MAX } from '../limits.ts';
import { crossesBoundary } from './boundary.ts';
import type { Decision, GoalRead, Ledger, Said, Todo } from './types.ts';

/** How things stand, beside the goal. */
export interface Standing {
  /** The answer is complete and nothing is being written. */
  settled: boolean;
  /** A message or a task whose outcome is not known. */
  uncertain: boolean;
  transfer: boolean;
  underPressure: boolean;
  /** The page has failed, not the model. */
  broken: boolean;
  continued: number;
  recovered: number;
}

export type Denial =
  | 'evidence_unobserved'
  | 'close_unproven'
  | 'uncertain_mutation'
  | 'not_settled'
  | 'todos_open'
  | 'nothing_to_prove'
  | 'blocked'
  | 'nothing_runs'
  | 'external_owner'
  | 'handoff_active'
  | 'no_open_todo'
  | 'unknown_reference'
  | 'no_pressure'
  | 'nothing_broken';

export type Ruling =
  | { ok: true; decision: Decision; ledger: Ledger; text: readonly string[] }
  /** A person has to decide: it is for a person, or the machine has had its turns. Nothing is sent. */
  | { ok: false; ask: true; why: 'for_a_person' | 'budget_spent' }
  | { ok: false; ask: false; why: Denial };

const deny = (why: Denial): Ruling => ({ ok: false, ask: false, why });
const ask = (why: 'for_a_person' | 'budget_spent'): Ruling => ({ ok: false, ask: true, why });

export function rule(said: Said, goal: GoalRead, now: Standing): Ruling {
  if (said.decision === 'ASK_HUMAN') return { ok: true, decision: 'ASK_HUMAN', ledger: goal.ledger, text: [] };
  const chosen = chosenTodos(said, goal.ledger);
  const answer = goal.ledger.decisions.find(({ id }) => id === said.decisionRef) ?? null;
  const words = [said.message, ...(chosen ?? []).map(({ text }) => text), answer?.text ?? ''];
  if (crossesBoundary(words)) return ask('for_a_person');
  const observed = new Set(goal.observed);
  const cited = [...said.evidence, ...said.closes.flatMap(({ evidence }) => evidence)];
  if (!cited.every((ref) => observed.has(ref))) return deny('evidence_unobserved');
  const ledger = closed(goal.ledger, said);
  if (ledger === null) return deny('close_unproven');
  const common = { ok: true as const, decision: said.decision, ledger };
  switch (said.decision) {
    case 'COMPLETE': {
      const denial = againstComplete(ledger, said, goal, now);
      return denial === null ? { ...common, text: [] } : deny(denial);
    }
    case 'WAIT_EXTERNAL':
      return goal.running > 0 ? { ...common, text: [] } : deny('nothing_runs');
    case 'HANDOFF':
      return now.underPressure ? { ...common, text: [] } : deny('no_pressure');
    case 'RECOVER':
      if (!now.broken) return deny('nothing_broken');
      return now.recovered < RECOVERS_MAX ? { ...common, text: [] } : ask('budget_spent');
    case 'CONTINUE':
    case 'ANSWER_DECISION': {
      const denial = againstSending(goal, now);
      if (denial !== null) return deny(denial);
      if (chosen === null) return deny('unknown_reference');
      const open = chosen.length > 0 ? chosen : ledger.todos.filter(isOurs);
      if (said.decision === 'CONTINUE' && !open.some((todo) => isOurs(todo) && isStillOpen(ledger, todo)))
        return deny('no_open_todo');
      if (said.decision === 'ANSWER_DECISION' && answer === null) return deny('unknown_reference');
      if (now.continued >= CONTINUES_MAX) return ask('budget_spent');
      if (crossesBoundary(open.map(({ text }) => text))) return ask('for_a_person');
      return { ...common, text: answer === null ? open.filter(isOurs).map(({ text }) => text) : [answer.text] };
    }
  }
}

const isOurs = ({ open, owner }: Todo): boolean => open && owner === 'assistant';
const isStillOpen = (ledger: Ledger, todo: Todo): boolean =>
  ledger.todos.some(({ id, open }) => id === todo.id && open);

function againstComplete(ledger: Ledger, said: Said, goal: GoalRead, now: Standing): Denial | null {
  if (now.uncertain || goal.uncertain) return 'uncertain_mutation';
  if (!now.settled || goal.running > 0) return 'not_settled';
  if (ledger.blockers.length > 0) return 'blocked';
  if (ledger.todos.some(({ open }) => open)) return 'todos_open';
  // A goal of which nothing was ever written down as proven is not complete because nothing stands there.
  const proven = ledger.todos.length > 0 ? ledger.todos.every(({ evidence }) => evidence.some(isOfHerdr)) : false;
  return proven || said.evidence.some(isOfHerdr) ? null : 'nothing_to_prove';
}

function againstSending(goal: GoalRead, now: Standing): Denial | null {
  if (now.uncertain || goal.uncertain) return 'uncertain_mutation';
  if (!now.settled) return 'not_settled';
  if (now.transfer) return 'handoff_active';
  return goal.running > 0 ? 'external_owner' : null;
}

/** The todos that the model names; null: one of them does not exist. */
function chosenTodos(said: Said, ledger: Ledger): Todo[] | null {
  const found = said.todoIds.map((id) => ledger.todos.find((todo) => todo.id === id));
  return found.every((todo) => todo !== undefined) ? found : null;
}

const isOfHerdr = (ref: string): boolean => /^herdr_[a-z_]+:./.test(ref);
const isOfPerson = (ref: string): boolean => ref.startsWith('human:');

/** The ledger with what was closed; null: one close has no proof. */
function closed(ledger: Ledger, said: Said): Ledger | null {
  let todos = ledger.todos;
  for (const { todo: id, evidence } of said.closes) {
    const todo = todos.find((one) => one.id === id);
    const proven = evidence.some(isOfHerdr) && (todo?.owner !== 'person' || evidence.some(isOfPerson));
    if (!todo?.open || !proven) return null;
    todos = todos.map((one) => (one.id === id ? { ...one, open: false, evidence } : one));
  }
  return { ...ledger, todos };
}
