/** Rows that got new ids, and the messages that speak of them. Pure. */
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
