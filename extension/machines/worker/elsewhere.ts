/**
 * The same chat in two browsers: a settle is told by one of them. The runtime says whose it is, before anything is typed and
 * once more before Send. Pure.
 */
import type { WakeOutcome } from '../../../contract/extension/wake.ts';
import { finish } from './delivery.ts';
import type { Event } from './events.ts';
import { type Binding, type Delivery, ignored, type State } from './state.ts';

/** What a wake of this row tells of, as every browser names it; nothing when a part of it is known only here. */
export function wakesOf(row: Binding): readonly string[] {
  const panes = row.activity.pending?.panes ?? [];
  const named = panes.flatMap(({ settle }) => settle ?? []);
  return named.length < panes.length ? [] : named.map((settle) => `${row.server}/${row.workspace}/${settle}`);
}

/** What a message claims before it is typed. A person's press is a person's decision and claims nothing. */
export function claimed({ manual, wakes }: Delivery): readonly string[] {
  return manual ? [] : (wakes ?? []);
}

/** Whose settle it tells of in general words; tasks are told by name. */
export const panesTold = ({ kind, restore }: Delivery): string[] =>
  kind === 'settled' ? Object.values(restore.pending).flatMap(({ panes }) => panes.map(({ pane }) => pane)) : [];

/**
 * The settle is another browser's. `sent`: it was told, nothing is left to tell here. `held`: it comes again later, should the
 * other one fall silent. `uncertain`: the other may have told it, so it is not told again; the chat shows it, or a person says.
 */
export function toldElsewhere(
  state: State,
  { id, attempt, as }: Extract<Event, { type: 'told_elsewhere' }>,
  now: number,
): State {
  const delivery = state.deliveries[id];
  if (delivery?.state !== 'handed' || delivery.attempt !== attempt) return ignored(state, 'attempt_over');
  if (as === 'held') return finish(state, delivery, 'blocked', 'wake_in_flight', now).state;
  if (as === 'uncertain') return finish(state, delivery, 'uncertain', 'delivery_uncertain', now).state;
  const { [id]: _told, ...deliveries } = state.deliveries;
  return { ...state, deliveries };
}

/** What the runtime has to hear: the messages that came to an end in this step and had claimed something. */
export function ended(before: State, after: State): { delivery: Delivery; outcome: WakeOutcome }[] {
  if (before.deliveries === after.deliveries) return [];
  return Object.values(after.deliveries).flatMap((delivery) => {
    const outcome = OUTCOMES[delivery.state];
    const changed = before.deliveries[delivery.id]?.state !== delivery.state;
    return outcome !== undefined && changed && claimed(delivery).length > 0 ? [{ delivery, outcome }] : [];
  });
}

const OUTCOMES: Partial<Record<Delivery['state'], WakeOutcome>> = {
  sent: 'sent',
  blocked: 'unsent',
  uncertain: 'uncertain',
};
