/** What follows from the supervising model's reply: a ruling of the guards, never the reply itself. Pure. */
import { say } from '../../../look/words/index.ts';
import { backOff } from './gates.ts';
import { type GoalRead, rule, saidOf, sectionOf } from './goal/index.ts';
import type { Auto, AutoEffect, AutoEvent, AutoStep, Env, Facts, Judging, Outcome } from './state.ts';
import { printOf } from './text.ts';

/** Null: nothing usable was said. Otherwise the supervisor owns the turn, also when it is denied. */
export function supervised(
  auto: Auto,
  current: Judging,
  event: Extract<AutoEvent, { type: 'chatted' }>,
  facts: Facts,
  env: Env,
): AutoStep | null {
  const { goal, content, turn } = event;
  const said = saidOf(content);
  if (said === null || goal === null) return null;
  const { now } = env;
  const ruling = rule(said, goal, {
    settled: facts.page === 'quiet',
    uncertain: facts.uncertainAt !== null && facts.uncertainAt > auto.spokeAt,
    transfer: facts.transfer,
    underPressure: facts.underPressure,
    broken: facts.broken,
    continued: auto.goal.continued,
    recovered: auto.goal.recovered,
  });
  const note = said.reason.replace(/\s+/g, ' ').trim();
  const end = (why: Outcome, change: Partial<Auto> = {}, effects: readonly AutoEffect[] = []): AutoStep => ({
    auto: {
      ...auto,
      judging: null,
      sealed: current.answer,
      retryAt: null,
      result: { at: now, why, by: 'goal', note },
      ...change,
    },
    effects,
  });
  if (!ruling.ok && ruling.ask) return end(ruling.why, { goal: { ...auto.goal, decision: 'ASK_HUMAN' } });
  if (!ruling.ok) {
    // The model wanted what may not be: tried again later, a few times, because what it lacked may come.
    const pause = backOff(auto);
    const later = pause === null ? {} : { sealed: auto.sealed, retryAt: now + pause, retries: auto.retries + 1 };
    return end('denied', later);
  }
  const { decision, ledger, text } = ruling;
  const decided = { ...auto.goal, decision };
  const written = writeBack(goal, ledger, decision, turn.answerId, now);
  switch (decision) {
    case 'COMPLETE':
      return end('goal_complete', { goal: decided }, written);
    case 'WAIT_EXTERNAL':
      return end('waits_outside', { goal: decided }, written);
    case 'ASK_HUMAN':
      return end('asks_person', { goal: decided });
    case 'RECOVER':
      return end('recovery_advised', { goal: { ...decided, recovered: auto.goal.recovered + 1 } });
    case 'HANDOFF':
      return end('handover_advised', { goal: decided }, [...written, { type: 'rollover' }]);
    case 'CONTINUE':
    case 'ANSWER_DECISION': {
      const head = say(env.language, 'auto', decision === 'CONTINUE' ? 'goalContinue' : 'goalDecision');
      const lines = text.map((line) => `- ${line}`);
      const message = [head, ...lines, '', say(env.language, 'auto', 'loop')].join('\n');
      const delivery = `judge:${current.id}`;
      const sending = {
        delivery,
        answer: current.answer,
        print: printOf(message),
        by: 'goal' as const,
        doubtful: false,
      };
      return end(
        'continued',
        { sealed: auto.sealed, sending, goal: { ...decided, continued: auto.goal.continued + 1 } },
        [...written, { type: 'send', delivery, text: message }],
      );
    }
  }
}

/** The goal goes back only when it changed or is reached, and only behind an answer that has an id of its own. */
function writeBack(
  goal: GoalRead,
  ledger: GoalRead['ledger'],
  decision: string,
  answerId: string | null,
  at: number,
): AutoEffect[] {
  const changed = ledger.todos.some((todo, index) => todo.open !== goal.ledger.todos[index]?.open);
  if (answerId === null || (!changed && decision !== 'COMPLETE')) return [];
  return [{ type: 'checkpoint', goal, section: sectionOf(ledger, { decision, answerId, at }), anchor: answerId }];
}
