/**
 * The worker's one decision: what an event makes of the state, what has to be done about it, and what the one who asked
 * is told. The caller writes the state down before it does anything. Pure: time and language are given.
 */
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import { LANGUAGES, type Language } from '../../../look/words/index.ts';
import type { PageIdentity } from '../../page.ts';
import { ASKED_SITES } from '../../policy.ts';
import { press, queueAdd, queueClear, queueFlush } from './act.ts';
import { acting } from './acting.ts';
import { mayWake } from './auto.ts';
import { automatic } from './automatic.ts';
import { awaiting } from './awaiting.ts';
import { bind, unbind } from './binding.ts';
import { bridged, bridgeTime } from './bridge.ts';
import { withoutFuture } from './clock.ts';
import { claim, looked, outcome, refused } from './delivery.ts';
import { toldElsewhere } from './elsewhere.ts';
import { DONE, type Effect, type Event, type Planned, type Step } from './events.ts';
import { healing, healthTime, pressRecover, rateLimited, turnHealth } from './healing.ts';
import { baseline, hear, heard } from './hear.ts';
import { FALLBACK_SECONDS_DEFAULT, MESSAGE_CHARS_MAX, SECONDS_MAX, TICK_SECONDS_MIN } from './limits.ts';
import { moving, pressHandoff } from './moving.ts';
import { advance, decideProgressWake, decideWake, isExpired, lookAt, objection } from './plan.ts';
import { isCheckDue } from './progress.ts';
import { withoutOld } from './queue.ts';
import { ownWords } from './render.ts';
import { type Config, type Delivery, ignored, isOpen, type State, withBinding, withDelivery } from './state.ts';
import {
  afterwards,
  askPages,
  ended,
  here,
  keptTabs,
  orphansOf,
  turnAccepted,
  unacknowledged,
  withoutTab,
} from './tabs.ts';
import { trial } from './trial.ts';
import { attributed } from './whose.ts';

export interface Env {
  now: number;
  /** What the browser speaks; a person's choice in the Options goes before it. */
  language: Language;
}

export function step(before: State, given: Event, env: Env): Step {
  const spoken = { ...env, language: before.config.language ?? env.language };
  const state = withoutFuture(before, env.now);
  const event = attributed(state, given);
  const decided = automatic(state, decide(state, event, spoken), event, spoken);
  const done = awaiting(before, moving(acting(state, decided, event, env.now), event, env.now), event, env.now);
  const changed = done.state !== before;
  return changed ? { ...done, state: { ...done.state, revision: state.revision + 1 } } : done;
}

function decide(state: State, event: Event, env: Env): Step {
  const { now, language } = env;
  switch (event.type) {
    case 'started':
      return quietly(bridgeTime(everything(state, now), 'started', now));
    case 'tick':
      return quietly(bridgeTime(healthTime(tick(state, now), now), 'tick', now));
    case 'link':
      return quietly(link(state, event.status, now));
    case 'ignored':
      return quietly(stale(state, event.why));
    case 'hello':
      return quietly(andMove(hear(state, event, now), now));
    case 'pushed':
      return quietly(andMove(heard(state, event, now), now));
    case 'looked': {
      const row = state.bindings[event.binding];
      if (!row || row.revision !== event.revision) return quietly(stale(state, 'binding_changed'));
      const { fresh } = event;
      const counted =
        event.inbox === null || event.inbox === 'none'
          ? state
          : withTasks(state, row.target?.conversation, event.inbox);
      if (fresh !== null && fresh.boot !== state.stream.boot) {
        return { state: ignored(counted, 'other_boot'), effects: [{ type: 'reconnect' }], reply: DONE };
      }
      if (fresh === null) return quietly(decideWake(counted, row, event, language, now));
      const known = baseline(row, fresh, now);
      return quietly(decideWake(withBinding(counted, known), known, event, language, now));
    }
    case 'output': {
      const row = state.bindings[event.binding];
      if (!row || row.revision !== event.revision) return quietly(stale(state, 'binding_changed'));
      if (event.fresh !== null && event.fresh.boot !== state.stream.boot) {
        return { state: ignored(state, 'other_boot'), effects: [{ type: 'reconnect' }], reply: DONE };
      }
      return quietly(decideProgressWake(state, row, event, language, now));
    }
    case 'acknowledged': {
      const delivery = state.deliveries[event.delivery];
      if (!delivery?.tasks) return quietly({ state, effects: [] });
      return quietly({
        state: withDelivery(state, { ...delivery, tasks: { ...delivery.tasks, acknowledged: true } }),
        effects: [],
      });
    }
    case 'session': {
      const known = state.sessions[event.conversation];
      if (known?.ref === event.ref) return quietly({ state, effects: [] });
      const sessions = { ...state.sessions, [event.conversation]: { ref: event.ref, tasks: null } };
      return quietly(advance({ ...state, sessions }, event.conversation, now));
    }
    case 'inbox':
      return quietly({ state: withTasks(state, event.conversation, event.inbox), effects: [] });
    case 'here':
      return quietly(here(state, event.from, event.state, now));
    case 'page':
      return quietly(here(state, event.from, event.state, now));
    case 'tab_gone':
      return quietly(withoutTab(state, event.tab, null, now));
    case 'no_receiver':
      return quietly(withoutTab(state, event.tab, event.document, now));
    case 'bind': {
      const bound = bind(state, { ...event, now });
      const done = answered(bound, event.page, now);
      // The new row is looked at at once: what its agents do now is where it begins.
      const added = Object.values(bound.state.bindings).filter(({ id }) => !state.bindings[id]);
      return { ...done, effects: [...done.effects, ...added.map((row) => lookAt(bound.state, row))] };
    }
    case 'unbind':
      return answered(unbind(state, event.binding), null, now);
    case 'config':
      return quietly(everything({ ...state, config: readConfig({ ...state.config, ...event.config }) }, now));
    case 'queue_add':
      return queueAdd(state, event, now);
    case 'queue_flush':
      return queueFlush(state, event, now);
    case 'queue_clear':
      return queueClear(state, event);
    case 'action':
      return event.action.name === 'recover'
        ? pressRecover(state, event.from, now)
        : event.action.name === 'handoff'
          ? pressHandoff(state, event, now)
          : press(state, event, language, now);
    case 'trial':
      return trial(state, event, language, now);
    case 'turn_accepted':
      return quietly(turnAccepted(turnHealth(state, event, now), event, now));
    case 'turn_ended':
      return quietly(ended(state, event, now));
    case 'judged':
    case 'history':
    case 'services':
      return quietly({ state, effects: [] }); // heard by `automatic`
    case 'actuations':
    case 'actuation':
    case 'awaited_over':
    case 'handoff':
    case 'handoff_ended':
    case 'cut_over':
      return quietly({ state, effects: [] }); // heard by `acting` and `moving`
    case 'health':
    case 'examined':
    case 'recovered':
    case 'declined':
    case 'site_refused':
      return quietly(healing(state, event, now));
    case 'bridge':
      return bridged(state, event.event, now, event.from);
    case 'canonical':
      return quietly({ state: canonical(state, event), effects: [] });
    case 'connector':
      return quietly({ state: connector(state, event), effects: [] });
    case 'claim': {
      const given = { ...event, document: event.from.document };
      const late = (one: Delivery) => (isExpired(one, now) ? 'no_tab' : null);
      const against = (one: Delivery) => objection(state, one) ?? rateLimited(state, one, now) ?? late(one);
      const claimed = claim(state, given, against, now);
      return {
        state: claimed.state,
        effects: [],
        reply: claimed.reason === null ? DONE : { ok: false, reason: claimed.reason },
      };
    }
    case 'done':
      return quietly(afterwards(outcome(state, { ...event, document: event.from.document }, now), now));
    case 'refused':
      return quietly(afterwards(refused(state, event.id, event.attempt, event.reason, now), now));
    case 'told_elsewhere':
      return quietly({ state: toldElsewhere(state, event, now), effects: [] });
    case 'probed':
      return quietly(afterwards(looked(state, event.id, event, now), now));
  }
}

const quietly = ({ state, effects }: Planned): Step => ({ state, effects, reply: DONE });
const stale = (state: State, why: Parameters<typeof ignored>[1]): Planned => ({
  state: ignored(state, why),
  effects: [],
});

function answered(given: ReturnType<typeof bind>, page: PageIdentity | null, now: number): Step {
  if (given.reason !== null) return { state: given.state, effects: [], reply: { ok: false, reason: given.reason } };
  return quietly({ state: given.state, effects: [...keptTabs(given.state), ...inboxOf(given.state, page, now)] });
}

function inboxOf(state: State, page: PageIdentity | null, now: number): readonly Effect[] {
  return page?.conversation == null ? [] : advance(state, page.conversation, now).effects;
}

/** Everything that may go on: each open message and each conversation that something waits for. */
function everything(state: State, now: number): Planned {
  const conversations = new Set([
    ...Object.values(state.deliveries)
      .filter(isOpen)
      .map(({ conversation }) => conversation),
    ...Object.keys(state.queues),
    ...Object.keys(state.bridge.loops),
    ...Object.values(state.bindings).flatMap(({ target }) => target?.conversation ?? []),
  ]);
  let next = orphansOf(withoutOld(state, now), now);
  const effects: Effect[] = [];
  for (const conversation of conversations) {
    const moved = advance(next, conversation, now);
    next = moved.state;
    effects.push(...moved.effects);
  }
  return { state: next, effects: [...effects, ...unacknowledged(next)] };
}

function tick(state: State, now: number): Planned {
  const moved = everything(state, now);
  let next = moved.state;
  const effects = [...moved.effects, ...askPages(next)];
  for (const row of Object.values(next.bindings)) {
    if (!isCheckDue(row, next.config, now) || !mayWake(next, row) || next.link !== 'connected') continue;
    const { activity, revision, workspace } = row;
    next = withBinding(next, { ...row, activity: { ...activity, progress: { ...activity.progress, checkedAt: now } } });
    effects.push({ type: 'output', binding: row.id, revision, workspace, panes: activity.working });
  }
  return { state: next, effects };
}

function link(state: State, status: State['link'], now: number): Planned {
  if (state.link === status) return { state, effects: [] };
  return everything({ ...state, link: status }, now);
}

function andMove({ state, effects }: Planned, now: number): Planned {
  const moved = everything(state, now);
  const looks = new Set(moved.effects.flatMap((one) => (one.type === 'look' ? [one.binding] : [])));
  // One read of an inbox is enough, whoever asked for it.
  const others = effects.filter((one) => one.type !== 'look' || !looks.has(one.binding));
  return { state: moved.state, effects: [...others, ...moved.effects] };
}

function canonical(state: State, { was, continuityId }: Extract<Event, { type: 'canonical' }>): State {
  let next = state;
  for (const row of Object.values(state.bindings)) {
    if (row.continuityId === was && was !== continuityId) next = withBinding(next, { ...row, continuityId });
  }
  return next;
}

/** Learnt once, from one unambiguous pill; a different one later does not replace it by itself. */
function connector(state: State, { conversation, keyword }: Extract<Event, { type: 'connector' }>): State {
  let next = state;
  for (const row of Object.values(state.bindings)) {
    if (row.target?.conversation === conversation && row.connector === null)
      next = withBinding(next, { ...row, connector: keyword });
  }
  return next;
}

function withTasks(state: State, conversation: string | undefined, inbox: TasksAnswer): State {
  const known = conversation === undefined ? undefined : state.sessions[conversation];
  if (!known || conversation === undefined) return state;
  return { ...state, sessions: { ...state.sessions, [conversation]: { ...known, tasks: inbox.summary } } };
}

/** What the Options may hold; anything else becomes the nearest thing that they may. */
function readConfig(config: Config): Config {
  const seconds = (value: number, min: number, fallback: number) =>
    Number.isFinite(value) ? (value <= 0 ? 0 : Math.min(Math.max(Math.round(value), min), SECONDS_MAX)) : fallback;
  return {
    ...config,
    projectPermission: config.projectPermission === true,
    language: LANGUAGES.find((one) => one === config.language) ?? null,
    progressTickSec: seconds(config.progressTickSec, TICK_SECONDS_MIN, TICK_SECONDS_MIN),
    progressFallbackSec: seconds(config.progressFallbackSec, 1, FALLBACK_SECONDS_DEFAULT),
    continueMessage: ownWords(config.continueMessage, MESSAGE_CHARS_MAX),
    settledTemplate: ownWords(config.settledTemplate, MESSAGE_CHARS_MAX),
    progressTemplate: ownWords(config.progressTemplate, MESSAGE_CHARS_MAX),
    sites: ASKED_SITES.filter((site) => config.sites.includes(site)),
  };
}
