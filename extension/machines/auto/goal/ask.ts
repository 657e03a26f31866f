/** The question to the supervising model: the goal, what was seen, the last turns; bounded as a whole. Pure. */
import { type Language, say } from '../../../../look/words/index.ts';
import { SUPERVISOR_CHARS, TURN_CHARS, TURNS_SHOWN } from '../limits.ts';
import type { Asked, GoalRead, Prior } from './types.ts';

export function supervisorAsk(language: Language, goal: GoalRead, prior: Prior | null, answer: string): Asked {
  const { ledger } = goal;
  const turns = [...goal.turns.slice(-(TURNS_SHOWN - 1)), { role: 'assistant' as const, text: answer }];
  const facts = {
    objective: ledger.objective,
    constraints: ledger.constraints,
    todos: ledger.todos.map(({ id, text, open, owner }) => ({ id, text, status: open ? 'open' : 'closed', owner })),
    decisions: ledger.decisions,
    blockers: ledger.blockers,
    observed_refs: goal.observed,
    agents_running: goal.running,
    uncertain_outcome: goal.uncertain,
    advice: prior,
  };
  const head = JSON.stringify(facts).slice(0, SUPERVISOR_CHARS / 2);
  const shown = turns.map(({ role, text }) => `${role}: ${text.slice(-TURN_CHARS).replace(/\s+/g, ' ').trim()}`);
  // What does not fit goes from the old end: the newest turn is what is judged.
  while (shown.length > 1 && head.length + shown.join('\n').length > SUPERVISOR_CHARS - 200) shown.shift();
  return {
    system: say(language, 'auto', 'supervisorSystem'),
    user: `${say(language, 'auto', 'supervisorFacts')}\n${head}\n\n${say(language, 'auto', 'supervisorTurns')}\n${shown.join('\n')}`.slice(
      0,
      SUPERVISOR_CHARS,
    ),
  };
}
