/** A judgement under way, and the answers of models that it gets. */
import { BOTH, type Driver, driver, OPEN_ANSWER, turn } from './support.ts';

export const OPEN = turn(OPEN_ANSWER);

export function judging(services = BOTH, given = OPEN, begin: Parameters<typeof driver>[1] = {}): Driver {
  const it = driver({}, begin).give({ type: 'turn', turn: given, confirmed: true });
  return it.give({ type: 'prepared', id: it.id(), turn: given, services, goal: null });
}
export const jev = (it: Driver, noul: unknown) =>
  it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: null, answers: { remains: { type: 'noul', noul } } });
export const llm = (it: Driver, content: unknown) =>
  it.give({ type: 'chatted', id: it.id(), turn: OPEN, goal: null, content });
export const kinds = (it: Driver) => it.effects.map(({ type }) => type);
