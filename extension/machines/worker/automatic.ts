/**
 * Where the worker's events meet Auto's decision at the end of a turn and the pressure of a long conversation: what each of
 * them has to know, and what becomes of what they want. Both own their part of the state; everything that is sent goes
 * through the one delivery machine. Pure.
 */
import {
  type Auto,
  type AutoEffect,
  type AutoEvent,
  CONVERSATIONS_KEPT,
  type Env,
  judge,
  NEW_AUTO,
} from '../auto/index.ts';
import { sameText } from '../page/index.ts';
import { newPressure, CONVERSATIONS_KEPT as PRESSURES_KEPT, type PressureEvent, press } from '../pressure/index.ts';
import { finish } from './delivery.ts';
import { continuationOf } from './elsewhere.ts';
import type { Effect, Event, Step } from './events.ts';
import { SERVICES_FRESH_MS } from './limits.ts';
import { plan } from './message.ts';
import { advance } from './plan.ts';
import { readyTab } from './ready.ts';
import { boundaryOf, lastDelivery, standingOf } from './standing.ts';
import { boundTo, type Delivery, type State, withDelivery } from './state.ts';

/** What one event means for Auto and for the pressure, after everything else that it means. */
export function automatic(before: State, done: Step, event: Event, env: Env): Step {
  let run: Run = { state: done.state, effects: [...done.effects] };
  if (event.type === 'turn_accepted') run = userTurn(run, event, env);
  for (const finished of changedDeliveries(before, run.state)) {
    const as = becameOf(finished);
    if (as !== null) run = auto(run, finished.conversation, { type: 'finished', delivery: finished.id, as }, env);
  }
  run = exhausted(before, heard(run, event, env), env);
  return run.state === done.state && run.effects.length === done.effects.length ? done : { ...done, ...run };
}

interface Run {
  state: State;
  effects: Effect[];
}

function heard(run: Run, event: Event, env: Env): Run {
  switch (event.type) {
    case 'turn_ended': {
      const { conversation } = event.from.page;
      const { turn, confirmed } = event;
      if (conversation === null || turn === undefined) return run;
      return pressure(
        auto(run, conversation, { type: 'turn', turn, confirmed: confirmed ?? false }, env),
        conversation,
        { type: 'look' },
        env,
      );
    }
    case 'judged':
      return auto(run, event.conversation, event.event, env);
    case 'history': {
      const { conversation } = event.from.page;
      if (conversation === null) return run;
      return pressure(run, conversation, { type: 'seen', turns: event.turns, turnsNamed: event.turnsNamed }, env);
    }
    case 'services':
      return { ...run, state: { ...run.state, services: { ...event.services, at: env.now } } };
    case 'started':
      return Object.keys(run.state.judges).reduce((next, one) => auto(next, one, { type: 'restarted' }, env), run);
    case 'tick':
      return openConversations(run.state).reduce(
        (next, one) => pressure(auto(next, one, { type: 'look' }, env), one, { type: 'look' }, env),
        asksServices(run, env.now),
      );
    case 'hello':
    case 'here':
      return asksServices(run, env.now);
    case 'action': {
      const { conversation } = event.from.page;
      const off = event.action.name === 'auto' && 'on' in event.action && !event.action.on;
      return off && conversation !== null && run.state.judges[conversation]
        ? auto(run, conversation, { type: 'stopped' }, env)
        : run;
    }
    default:
      return run;
  }
}

/** A page that recovery could not help is left for a new one, when that is safe; one that came back is not. */
function exhausted(before: State, run: Run, env: Env): Run {
  if (before.recovery === run.state.recovery) return run;
  let next = run;
  for (const [conversation, { phase }] of Object.entries(run.state.recovery.chats)) {
    const was = before.recovery.chats[conversation]?.phase === 'exhausted';
    if (was === (phase === 'exhausted')) continue;
    const type = phase === 'exhausted' ? 'wanted' : 'unwanted';
    next = pressure(next, conversation, { type, reason: 'recovery_exhausted' }, env);
  }
  return next;
}

function auto(run: Run, conversation: string, event: AutoEvent, env: Env): Run {
  const { state } = run;
  const known = state.judges[conversation] ?? NEW_AUTO;
  const facts = standingOf(state, conversation, env.now);
  // Nothing is remembered of a chat that Auto has nothing to do with.
  if (known === NEW_AUTO && !facts.auto && event.type !== 'finished') return run;
  const stepped = judge(known, event, facts, env);
  let next: Run = stepped.auto === known ? run : { ...run, state: withJudge(state, conversation, stepped.auto) };
  for (const effect of stepped.effects) next = wanted(next, conversation, effect, env);
  return next;
}

function wanted(run: Run, conversation: string, effect: AutoEffect, env: Env): Run {
  const { state, effects } = run;
  if (effect.type === 'rollover') return pressure(run, conversation, { type: 'wanted', reason: 'goal_handoff' }, env);
  if (effect.type === 'send') {
    const { delivery: id, text } = effect;
    const rows = boundTo(state, conversation);
    const claims = continuationOf(state.judges[conversation]?.sending?.answer.id ?? null);
    const planned = plan(state, { id, kind: 'judge', conversation, text, rows, claims }, env.now);
    const moved = advance(planned, conversation, env.now);
    return { state: moved.state, effects: [...effects, ...moved.effects] };
  }
  const tab = readyTab(state, conversation);
  if (effect.type === 'read' && tab === null) return run;
  const [row] = boundTo(state, conversation);
  const session = state.sessions[conversation]?.ref ?? null;
  const about = {
    conversation,
    tab,
    continuityId: row?.continuityId ?? null,
    workspaces: workspacesOf(state, conversation),
  };
  return { state, effects: [...effects, { type: 'judge', ...about, session, wants: effect }] };
}

function pressure(run: Run, conversation: string, event: PressureEvent, env: Env): Run {
  const { state } = run;
  const known = state.pressures[conversation];
  if (known === undefined && event.type !== 'seen' && event.type !== 'wanted') return run;
  const { pressure: next, due } = press(
    known ?? newPressure(env.now),
    event,
    boundaryOf(state, conversation, env.now),
    env.now,
  );
  const kept = next === known ? state : withPressure(state, conversation, next);
  const effects: Effect[] = due === null ? [] : [{ type: 'rollover.due', conversation, reason: due }];
  return { state: kept, effects: [...run.effects, ...effects] };
}

/** A user turn stands: whose words it holds, and a message of Auto's that it has overtaken. */
function userTurn(run: Run, event: Extract<Event, { type: 'turn_accepted' }>, env: Env): Run {
  const { conversation } = event.from.page;
  if (conversation === null) return run;
  let { state } = run;
  for (const one of Object.values(state.deliveries)) {
    const waits = one.state === 'planned' || one.state === 'handed';
    if (one.conversation !== conversation || one.kind !== 'judge' || !waits) continue;
    if (one.text !== null && sameText(one.text, event.text)) continue;
    state = finish(state, one, 'blocked', 'turn_in_progress', env.now).state;
  }
  const known = event.ours === undefined ? undefined : run.state.deliveries[event.ours];
  const ours = event.submitted === 'extension' ? (known ?? lastDelivery(state, conversation)) : null;
  const by = ours !== null && !ours.manual && OURS.has(ours.kind) ? 'machine' : 'person';
  // News are news once, however often a page that was loaded anew shows them.
  const news = (ours?.kind === 'settled' || ours?.kind === 'tasks') && !ours.turnSeen;
  if (ours !== null && !ours.turnSeen) state = withDelivery(state, { ...ours, turnSeen: true });
  return auto({ ...run, state }, conversation, { type: 'accepted', by, news }, env);
}

/** Messages that no person asked for at that moment. The Queue holds a person's own words. */
const OURS: ReadonlySet<Delivery['kind']> = new Set(['settled', 'progress', 'tasks', 'judge', 'handoff']);

function openConversations({ tabs }: State): string[] {
  return [...new Set(Object.values(tabs).flatMap(({ page }) => page.conversation ?? []))];
}

const workspacesOf = (state: State, conversation: string): string[] =>
  boundTo(state, conversation).map(({ workspace }) => workspace);

/** Messages of Auto's whose state has changed in this step. */
function changedDeliveries(before: State, after: State): Delivery[] {
  if (before.deliveries === after.deliveries) return [];
  return Object.values(after.deliveries).filter(
    (one) => one.kind === 'judge' && before.deliveries[one.id]?.state !== one.state,
  );
}

/** What came of it; null: nothing yet. Behind another message, or another browser's, it only comes later. */
function becameOf({ state, reason }: Delivery): Extract<AutoEvent, { type: 'finished' }>['as'] | null {
  if (state === 'blocked') return reason === 'wake_in_flight' ? 'held' : 'blocked';
  return state === 'sent' || state === 'uncertain' || state === 'elsewhere' ? state : null;
}

/** Which services there are is asked when it is not known, or was asked long ago, and somebody looks at a chat. */
function asksServices({ state, effects }: Run, now: number): Run {
  const { services } = state;
  const known = services !== null && now >= services.at && now - services.at < SERVICES_FRESH_MS;
  if (known || state.link !== 'connected' || Object.keys(state.tabs).length === 0) return { state, effects };
  return { state, effects: [...effects, { type: 'services' }] };
}

function withJudge(state: State, conversation: string, one: Auto): State {
  return { ...state, judges: newest({ ...state.judges, [conversation]: one }, CONVERSATIONS_KEPT, ageOf) };
}

const ageOf = ({ lookedAt, spokeAt, result }: Auto): number => Math.max(lookedAt, spokeAt, result?.at ?? 0);

function withPressure(state: State, conversation: string, one: State['pressures'][string]): State {
  const pressures = newest({ ...state.pressures, [conversation]: one }, PRESSURES_KEPT, ({ updatedAt }) => updatedAt);
  return { ...state, pressures };
}

function newest<T>(all: Readonly<Record<string, T>>, kept: number, at: (one: T) => number): Record<string, T> {
  const rows = Object.entries(all);
  if (rows.length <= kept) return all;
  return Object.fromEntries(rows.sort(([, a], [, b]) => at(b) - at(a)).slice(0, kept));
}
