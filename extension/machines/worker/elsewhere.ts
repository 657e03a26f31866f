/**
 * The same chat in two browsers: what goes into it goes from one of them. Every message that is made of what both can see
 * says by name what it is about; the runtime says whose it is, before anything is typed and once more before Send. Pure.
 */
import type { WakeOutcome } from '../../../contract/extension/wake.ts';
import type { Claim, Claims, Told } from './claims.ts';
import { finish } from './delivery.ts';
import type { Event } from './events.ts';
import { type Binding, type Config, type Delivery, ignored, type State } from './state.ts';

/** What a wake of this row tells of, as every browser names it; nothing when a part of it is known only here. */
export function wakesOf(row: Binding): readonly string[] {
  const panes = row.activity.pending?.panes ?? [];
  const named = panes.flatMap(({ settle }) => settle ?? []);
  return named.length < panes.length ? [] : named.map((settle) => `${row.server}/${row.workspace}/${settle}`);
}

/** Auto's word behind one answer, by the site's id of it: two answers may have the same words. */
export const continuationOf = (answerId: string | null): Claims | undefined =>
  answerId === null ? undefined : { keys: [`turn:${answerId}`] };

/**
 * A progress message, by its round and the pace that it keeps. Not by its output, which another browser reads a few seconds
 * later and finds changed.
 */
export function progressOf(row: Binding, { progressFallbackSec, progressTickSec }: Config): Claims | undefined {
  const { round } = row.activity.progress;
  if (round === undefined) return undefined;
  const againMs = (progressFallbackSec > 0 ? progressFallbackSec : progressTickSec) * 1_000;
  return { keys: [`progress:${row.server}/${row.workspace}/${round}`], againMs };
}

/** What has to be claimed before a message is typed; null: nothing that another browser would do as well. */
export function claimOf({ claims, conversation, manual, kind, restore }: Delivery): Claim | null {
  if (claims === undefined) return null;
  const settled = Object.values(restore.pending).flatMap(({ panes }) => panes.map(({ pane }) => pane));
  // Tasks are told by name; a person who presses does not wait for another browser's.
  return { ...claims, conversation, byPerson: manual, panes: kind === 'settled' && !manual ? settled : [] };
}

/**
 * It is another browser's. `sent`: it was done, nothing is left to do here. `held`: it comes again later, should the other
 * one fall silent. `uncertain`: the other may have done it, so it is not done again; the chat shows it, or a person says.
 */
export function toldElsewhere(
  state: State,
  { id, attempt, as }: Extract<Event, { type: 'told_elsewhere' }>,
  now: number,
): State {
  const delivery = state.deliveries[id];
  if (delivery?.state !== 'handed' || delivery.attempt !== attempt) return ignored(state, 'attempt_over');
  if (as === 'held') return finish(state, delivery, 'blocked', 'wake_in_flight', now).state;
  if (as === 'uncertain') return finish(state, delivery, 'uncertain', 'doubtful_elsewhere', now).state;
  return finish(state, delivery, 'elsewhere', 'done_elsewhere', now).state;
}

/** What the runtime has to hear: the messages that came to an end in this step and had claimed something. */
export function ended(before: State, after: State): Told[] {
  if (before.deliveries === after.deliveries) return [];
  return Object.values(after.deliveries).flatMap((delivery) => {
    const { id, state } = delivery;
    const [outcome, claim] = [OUTCOMES[state], claimOf(delivery)];
    if (outcome === undefined || claim === null || before.deliveries[id]?.state === state) return [];
    return [{ id, claim, outcome, unclaimed: false }];
  });
}

const OUTCOMES: Partial<Record<Delivery['state'], WakeOutcome>> = {
  sent: 'sent',
  blocked: 'unsent',
  uncertain: 'uncertain',
};
