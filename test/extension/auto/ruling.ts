/** A supervised chat, and the ruling that a supervisor’s answer gets. */
import { BOTH, CALM, type Driver, driver, goal, OPEN_ANSWER, turn } from './support.ts';

export const OPEN = turn(OPEN_ANSWER);

/** Everything up to the supervisor's reply. */
export function supervising(
  given = goal(),
  facts: Partial<typeof CALM> = {},
  begin: Parameters<typeof driver>[1] = {},
): Driver {
  const it = driver({}, begin).give({ type: 'turn', turn: OPEN, confirmed: true });
  it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: BOTH, goal: given });
  const signals = ['can_continue', 'needs_human', 'waiting_external', 'task_completed', 'needs_handoff'];
  const answers = Object.fromEntries(signals.map((name) => [name, { type: 'noul', noul: 0.5 }]));
  it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: given, answers });
  it.facts = { ...CALM, ...facts };
  return it;
}

export function ruling(
  content: string,
  given = goal(),
  facts: Partial<typeof CALM> = {},
  begin: Parameters<typeof driver>[1] = {},
) {
  const it = supervising(given, facts, begin);
  return it.give({ type: 'chatted', id: it.id(), turn: OPEN, goal: given, content });
}

export const why = (it: Driver) => it.auto.result?.why;
