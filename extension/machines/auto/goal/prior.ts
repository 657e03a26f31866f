/** The five signals: what a typed question thinks of the turn. They go into the supervisor's question and nowhere else. */
import type { Prior, TypedQuestion } from './types.ts';

const yesNo = (question: string, yes: string, no: string): TypedQuestion => ({
  type: 'noul',
  question,
  criteria: { true: yes, false: no },
});

export const PRIOR_QUESTIONS: Readonly<Record<keyof Prior, TypedQuestion>> = {
  can_continue: yesNo(
    'Can the assistant go on with the objective now, by itself?',
    'An open step can be taken without anybody else.',
    'Every open step waits for somebody or something, or none is open.',
  ),
  needs_human: yesNo(
    'Does the next step need a decision or an action of the person?',
    'Only the person can decide or do it.',
    'No person is needed.',
  ),
  waiting_external: yesNo(
    'Does the work wait for something that runs elsewhere?',
    'An agent, a build, a review or a service has to finish first.',
    'Nothing outside has to finish first.',
  ),
  task_completed: yesNo(
    'Is the objective reached, with evidence?',
    'Everything asked for is done and shown to work.',
    'Something is open, or not shown to work.',
  ),
  needs_handoff: yesNo(
    'Should the work move to a new conversation at this point?',
    'The conversation has grown too long and this is a clean boundary.',
    'It can go on here, or this is no clean boundary.',
  ),
};

/** Null unless all five are there and are probabilities. */
export function priorOf(answers: unknown): Prior | null {
  const prior: Partial<Record<keyof Prior, number>> = {};
  for (const name of Object.keys(PRIOR_QUESTIONS) as (keyof Prior)[]) {
    const share = noulOf(answers, name);
    if (share === null) return null;
    prior[name] = share;
  }
  return prior as Prior;
}

/** The probability that a typed answer gives; null: none that can be read. */
export function noulOf(answers: unknown, name: string): number | null {
  if (typeof answers !== 'object' || answers === null || !Object.hasOwn(answers, name)) return null;
  const answer: unknown = Reflect.get(answers, name);
  if (typeof answer !== 'object' || answer === null) return null;
  const share: unknown = Reflect.get(answer, 'noul');
  return typeof share === 'number' && share >= 0 && share <= 1 ? share : null;
}
