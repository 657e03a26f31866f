/**
 * From one look at an agent to the next: what that means for a task. Pure; all times are ms since 1970.
 *
 * A look shows a status and Herdr's number of the agent's last state change. The number moves also for a turn that began and
 * ended between two looks, so a short turn is activity too. What nobody saw is never made up: without activity nothing is
 * completed, and a settle that belongs to an earlier turn is consumed before anything counts. Terminal tasks never change.
 */
import type { Lifecycle } from '../../contract/extension/tasks.ts';
import type { AgentStatus } from '../../contract/herdr/index.ts';
import { ACTIVITY_MS, GONE_MS, OTHER_SERVER_MS, PRIOR_SETTLE_MS, SETTLE_MS } from './limits.ts';

export type OpenLifecycle = 'awaiting_prior_settle' | 'awaiting_activity' | 'running';

export interface TaskState {
  lifecycle: OpenLifecycle;
  reason: string;
  gateSeq: number | null;
  activityObserved: boolean;
  priorSettleObserved: boolean;
  waitingSince: number | null;
  settling: { status: AgentStatus; seq: number | null; since: number } | null;
  goneSince: number | null;
  last: { status: AgentStatus; seq: number | null; at: number } | null;
}

/** Why an agent is not where it was. */
export type Absence = 'agent_exited' | 'agent_replaced' | 'pane_closed' | 'terminal_replaced';

export type Sighting =
  | { kind: 'present'; status: AgentStatus; seq: number | null; at: number }
  | { kind: 'absent'; absence: Absence; at: number }
  /** Another Herdr than the task's answers. */
  | { kind: 'other_server'; at: number };

export interface Ending {
  lifecycle: Extract<Lifecycle, 'completed' | 'blocked' | 'failed' | 'delivery_uncertain'>;
  reason: string;
  status: AgentStatus | null;
}

/** What follows from a look: the task as it stands now, and its end when that is certain. */
export interface Step {
  state: TaskState;
  ending?: Ending;
  /** When to look again at the latest, because something is then due. */
  dueAt?: number;
}

/** The state after a prompt was sent. `ahead`: an earlier task of this agent is still open. */
export function afterSubmit(
  before: { status: AgentStatus; seq: number | null },
  after: { status: AgentStatus; seq: number | null; started: boolean },
  ahead: boolean,
  at: number,
): TaskState {
  const common = {
    gateSeq: before.seq,
    activityObserved: false,
    priorSettleObserved: false,
    waitingSince: null,
    settling: null,
    goneSince: null,
    last: { status: after.status, seq: after.seq, at },
  };
  if (ahead || before.status === 'working' || before.status === 'blocked') {
    return { ...common, lifecycle: 'awaiting_prior_settle', reason: ahead ? 'earlier_task_open' : 'agent_was_working' };
  }
  if (!after.started) return { ...common, lifecycle: 'awaiting_activity', reason: 'submitted', waitingSince: at };
  return { ...common, lifecycle: 'running', reason: 'activity_seen', activityObserved: true };
}

/** `ahead`: an earlier task of the same agent is open, so everything seen belongs to that one first. */
export function step(before: TaskState, sighting: Sighting, ahead: boolean): Step {
  if (sighting.kind === 'present') {
    const seen = { status: sighting.status, seq: sighting.seq, at: sighting.at };
    const last = sameLook(before.last, seen) ? before.last : seen;
    const state = { ...before, goneSince: null, last, reason: reasonOnReturn(before, seen.status) };
    if (state.lifecycle === 'awaiting_prior_settle') return prior(state, seen, ahead);
    if (state.lifecycle === 'awaiting_activity') return awaiting(state, seen);
    return running(state, seen);
  }
  const since = Math.min(before.goneSince ?? sighting.at, sighting.at);
  const patience = sighting.kind === 'absent' ? GONE_MS : OTHER_SERVER_MS;
  const reason = sighting.kind === 'absent' && before.lifecycle !== 'awaiting_prior_settle' ? MISSING : before.reason;
  const state = { ...before, goneSince: since, settling: null, reason };
  if (sighting.at - since < patience) return { state, dueAt: since + patience };
  const status = before.last?.status ?? null;
  return sighting.kind === 'absent'
    ? { state, ending: { lifecycle: 'failed', reason: sighting.absence, status } }
    : { state, ending: { lifecycle: 'delivery_uncertain', reason: 'herdr_server_changed', status } };
}

/** It is not there at the moment. */
const MISSING = 'agent_missing';
/** It was missing and sits there quietly again: as likely one that was started anew as the one that was asked. */
const CAME_BACK = 'agent_came_back';

/** One that is at work again was only lost from sight: what is started anew has nothing to do. */
function reasonOnReturn({ reason }: TaskState, status: AgentStatus): string {
  if (reason !== MISSING) return reason;
  return status === 'working' ? 'activity_seen' : CAME_BACK;
}

type Seen = { status: AgentStatus; seq: number | null; at: number };

/** Repeating what is known is no change: only the time of the first such look is kept. */
function sameLook(a: TaskState['last'], b: Seen): a is NonNullable<TaskState['last']> {
  return a !== null && a.status === b.status && a.seq === b.seq;
}

/**
 * The turn before has to settle first. A question of it (`blocked`) is no settle: it goes on when that is answered. While an
 * earlier task is open the settle is that one's; it counts for this one as soon as that has ended.
 */
function prior(state: TaskState, seen: Seen, ahead: boolean): Step {
  if (!isQuiet(seen.status)) return { state: { ...state, settling: null } };
  const settling = settle(state.settling, seen);
  if (ahead) return { state: { ...state, settling } };
  if (seen.at - settling.since < PRIOR_SETTLE_MS) {
    return { state: { ...state, settling }, dueAt: settling.since + PRIOR_SETTLE_MS };
  }
  const next: TaskState = {
    ...state,
    lifecycle: 'awaiting_activity',
    reason: 'prior_turn_settled',
    priorSettleObserved: true,
    gateSeq: seen.seq,
    waitingSince: seen.at,
    settling: null,
  };
  return { state: next, dueAt: seen.at + ACTIVITY_MS };
}

function awaiting(state: TaskState, seen: Seen): Step {
  const began = (reason: string): TaskState => ({ ...state, lifecycle: 'running', reason, activityObserved: true });
  if (seen.status === 'working') return { state: began('activity_seen') };
  const moved = state.gateSeq !== null && seen.seq !== null && seen.seq > state.gateSeq;
  if (seen.status === 'blocked') return running(began('activity_seen'), seen);
  const reason = state.reason === CAME_BACK ? CAME_BACK : 'turn_between_looks';
  if (moved && isQuiet(seen.status)) return running(began(reason), seen);
  const since = state.waitingSince ?? seen.at;
  if (seen.at - since < ACTIVITY_MS) return { state: { ...state, waitingSince: since }, dueAt: since + ACTIVITY_MS };
  const ending: Ending = { lifecycle: 'delivery_uncertain', reason: 'activity_start_timeout', status: seen.status };
  return { state, ending };
}

function running(state: TaskState, seen: Seen): Step {
  if (!isQuiet(seen.status) && seen.status !== 'blocked') return { state: { ...state, settling: null } };
  const settling = settle(state.settling, seen);
  if (seen.at - settling.since < SETTLE_MS) {
    return { state: { ...state, settling }, dueAt: settling.since + SETTLE_MS };
  }
  const blocked = seen.status === 'blocked';
  if (state.reason === CAME_BACK && !blocked) {
    return { state, ending: { lifecycle: 'delivery_uncertain', reason: CAME_BACK, status: seen.status } };
  }
  return {
    state: { ...state, settling },
    ending: {
      lifecycle: blocked ? 'blocked' : 'completed',
      reason: blocked ? 'asks_for_a_decision' : 'settled_after_activity',
      status: seen.status,
    },
  };
}

const isQuiet = (status: AgentStatus): boolean => status === 'idle' || status === 'done';

/** Counted from the first look that showed this settle; another state change in between begins anew. */
function settle(before: TaskState['settling'], seen: Seen): NonNullable<TaskState['settling']> {
  const same = before !== null && before.seq === seen.seq && isQuiet(before.status) === isQuiet(seen.status);
  return { status: seen.status, seq: seen.seq, since: same ? Math.min(before.since, seen.at) : seen.at };
}
