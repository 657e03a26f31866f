/** Rows that got new ids, tasks that got another owner, and the messages that speak of them. Pure. */
import type { Delivery, State } from './state.ts';

/** Rows have new ids: what a message gives back, or takes back when it is proved late, finds them under those. */
export function renamed(state: State, names: readonly (readonly [from: string, to: string])[]): State {
  const to = new Map(names.filter(([was, is]) => was !== is));
  const known = (given: Readonly<Record<string, unknown>>): boolean => Object.keys(given).some((id) => to.has(id));
  const keyed = <T>(given: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(given).map(([id, one]) => [to.get(id) ?? id, one]));
  const changed = Object.values(state.deliveries).filter(
    ({ restore }) => known(restore.pending) || known(restore.progress),
  );
  if (changed.length === 0) return state;
  const deliveries = changed.map((one): [string, Delivery] => {
    const { pending, progress } = one.restore;
    return [one.id, { ...one, restore: { pending: keyed(pending), progress: keyed(progress) } }];
  });
  return { ...state, deliveries: { ...state.deliveries, ...Object.fromEntries(deliveries) } };
}

/** Tasks that were told, or may have been, belong to another session from now on. Null: the earlier one is not known. */
export function owned(state: State, from: string | null, to: string): State {
  const told = Object.values(state.deliveries).filter(({ tasks }) => tasks !== null && tasks.session === from);
  if (told.length === 0) return state;
  const moved = told.map((one) => [one.id, { ...one, tasks: one.tasks && { ...one.tasks, session: to } }]);
  return { ...state, deliveries: { ...state.deliveries, ...(Object.fromEntries(moved) as Record<string, Delivery>) } };
}
