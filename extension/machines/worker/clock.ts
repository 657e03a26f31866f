/**
 * A clock that was put back. Every time here was written down by this worker, so none can lie ahead: then all of them go
 * back by as much, and what came first stays first. Otherwise a pause of seconds would last until the clock is there again,
 * and a message that was submitted would not be looked for. Pure.
 */
import type { BridgeState } from '../bridge/index.ts';
import { CLOCK_STEP_MS } from './limits.ts';
import type { Binding, Delivery, State } from './state.ts';

/** The same object when the clock has only gone on. */
export function withoutFuture(state: State, now: number): State {
  const by = latest(state) - now;
  return by > CLOCK_STEP_MS ? earlier(state, by) : state;
}

function latest(state: State): number {
  const { deliveries, bindings, queues, transfers, endings, cutovers, actuations, awaited, judges, bridge, tabs } =
    state;
  let last = 0;
  const seen = (...times: readonly (number | null | undefined)[]) => {
    for (const at of times) last = Math.max(last, at ?? 0);
  };
  for (const { createdAt, updatedAt, lookedAt } of Object.values(deliveries)) seen(createdAt, updatedAt, lookedAt);
  for (const { activity } of Object.values(bindings))
    seen(activity.pending?.notBefore, activity.progress.checkedAt, activity.progress.sentAt);
  for (const { notBefore, entries } of Object.values(queues)) seen(notBefore, ...entries.map((one) => one.createdAt));
  for (const { createdAt, since, askedAt } of [...Object.values(transfers), ...Object.values(endings)])
    seen(createdAt, since, askedAt);
  for (const { askedAt } of Object.values(cutovers)) seen(askedAt);
  for (const { createdAt, since, askedAt } of Object.values(actuations)) seen(createdAt, since, askedAt);
  for (const { since, askedAt } of Object.values(awaited)) seen(since, askedAt);
  for (const { shownAt, turnAt } of Object.values(tabs)) seen(shownAt, turnAt);
  for (const { spokeAt, lookedAt } of Object.values(judges)) seen(spokeAt, lookedAt);
  for (const { atMs, notBefore, updatedAt, round } of Object.values(bridge.loops))
    seen(atMs, notBefore, updatedAt, ...(round?.calls ?? []).map(({ since }) => since));
  return last;
}

function earlier(state: State, by: number): State {
  const back = (at: number): number => Math.max(0, at - by);
  const timed = <T extends { since: number; askedAt: number; createdAt: number }>(one: T): T => ({
    ...one,
    createdAt: back(one.createdAt),
    since: back(one.since),
    askedAt: back(one.askedAt),
  });
  return {
    ...state,
    deliveries: each(state.deliveries, (one) => deliveryBack(one, back)),
    bindings: each(state.bindings, (one) => bindingBack(one, back)),
    queues: each(state.queues, (one) => ({
      ...one,
      notBefore: back(one.notBefore),
      entries: one.entries.map((entry) => ({ ...entry, createdAt: back(entry.createdAt) })),
    })),
    transfers: each(state.transfers, timed),
    endings: each(state.endings, timed),
    cutovers: each(state.cutovers, (one) => ({ ...one, askedAt: back(one.askedAt) })),
    actuations: each(state.actuations, timed),
    awaited: each(state.awaited, ({ askedAt, ...one }) => ({
      ...one,
      since: back(one.since),
      ...(askedAt === undefined ? {} : { askedAt: back(askedAt) }),
    })),
    tabs: each(state.tabs, (one) => ({ ...one, shownAt: back(one.shownAt ?? 0), turnAt: back(one.turnAt ?? 0) })),
    bridge: { ...state.bridge, loops: each(state.bridge.loops, (one) => loopBack(one, back)) },
    // Its other times are durations to it, and it knows a clock that was put back.
    judges: each(state.judges, (one) => ({ ...one, spokeAt: back(one.spokeAt), lookedAt: back(one.lookedAt) })),
  };
}

function deliveryBack(one: Delivery, back: (at: number) => number): Delivery {
  const { pending, progress } = one.restore;
  return {
    ...one,
    createdAt: back(one.createdAt),
    updatedAt: back(one.updatedAt),
    lookedAt: back(one.lookedAt),
    restore: {
      pending: each(pending, (given) => ({ ...given, at: back(given.at), notBefore: back(given.notBefore) })),
      progress: each(progress, (given) => progressBack(given, back)),
    },
  };
}

/** The age of a call decides whether its key is still trusted: it stays what it was. */
function loopBack(loop: BridgeState['loops'][string], back: (at: number) => number): BridgeState['loops'][string] {
  const calls = loop.round?.calls.map((call) => ({ ...call, since: back(call.since), sentAt: back(call.sentAt) }));
  return {
    ...loop,
    atMs: back(loop.atMs),
    notBefore: back(loop.notBefore),
    updatedAt: back(loop.updatedAt),
    round: loop.round && { ...loop.round, calls: calls ?? [] },
  };
}

function bindingBack(row: Binding, back: (at: number) => number): Binding {
  const { activity } = row;
  const { pending, progress } = activity;
  return {
    ...row,
    activity: {
      ...activity,
      pending: pending && { ...pending, at: back(pending.at), notBefore: back(pending.notBefore) },
      progress: progressBack(progress, back),
    },
  };
}

const progressBack = <T extends Binding['activity']['progress']>(given: T, back: (at: number) => number): T => ({
  ...given,
  checkedAt: back(given.checkedAt),
  sentAt: given.sentAt === null ? null : back(given.sentAt),
});

const each = <T>(all: Readonly<Record<string, T>>, change: (one: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]));
