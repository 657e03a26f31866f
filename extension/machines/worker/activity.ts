/**
 * From what the stream says of agents to "this workspace works" and "this work has settled" (reference/extension.md 4.2).
 * A settle counts once, by its pane and Herdr's sequence; a pane that was never seen working settles nothing. Pure.
 */
import type { WorkspaceStatus } from '../../messages.ts';
import type { Activity, Pending, Progress } from './at-work.ts';
import { PANES_REMEMBERED } from './limits.ts';
import type { Stale } from './state.ts';

/** An agent as the stream gives it. */
export interface AgentFact {
  pane: string;
  /** Herdr's id of its terminal, another one in each life of Herdr; absent or empty where it is not known. */
  terminal?: string;
  name: string;
  status: string;
  /** Herdr's sequence of state changes; null where it gives none. */
  seq: number | null;
  at: number;
}

const SETTLED: ReadonlySet<string> = new Set(['idle', 'done', 'blocked']);
const isSettled = (status: string): status is 'idle' | 'done' | 'blocked' => SETTLED.has(status);

export type Heard = { activity: Activity; stale: Stale | null };

export function agentWorking(activity: Activity, agent: AgentFact): Heard {
  if (isOlder(activity, agent)) return { activity, stale: 'sequence_handled' };
  const began = activity.status !== 'working';
  const progress = began ? begun(activity.progress, [agent], agent.at) : activity.progress;
  const working = activity.working.includes(agent.pane) ? activity.working : [...activity.working, agent.pane].sort();
  return { activity: { ...activity, status: 'working', working, progress }, stale: null };
}

export function agentSettled(activity: Activity, agent: AgentFact): Heard {
  if (activity.handled[agent.pane] === keyOf(agent) || isOlder(activity, agent)) {
    return { activity, stale: 'sequence_handled' };
  }
  if (!activity.working.includes(agent.pane)) {
    const status = activity.working.length > 0 ? activity.status : statusOf(agent.status);
    return { activity: { ...handle(activity, agent), status }, stale: 'never_working' };
  }
  return { activity: settle(activity, [agent], false), stale: null };
}

/** An agent that left while it worked: its work has ended, nobody can say how. */
export function agentGone(activity: Activity, agent: AgentFact): Heard {
  if (!activity.working.includes(agent.pane)) return { activity, stale: null };
  return { activity: settle(activity, [{ ...agent, status: 'gone' }], false), stale: null };
}

/** The state at a connect. Who worked and no longer does has settled while nobody listened: told once, together. */
export function reconcile(activity: Activity, agents: readonly AgentFact[], at: number): Activity {
  const now = new Map(agents.map((agent) => [agent.pane, agent]));
  const ended: AgentFact[] = [];
  for (const pane of activity.working) {
    const agent = now.get(pane);
    if (!agent) ended.push({ pane, name: pane, status: 'gone', seq: null, at });
    else if (isSettled(agent.status) && activity.handled[pane] !== keyOf(agent)) ended.push(agent);
  }
  let next = ended.length > 0 ? settle(activity, ended, true) : activity;
  const stillWorking = agents.filter(({ pane, status }) => status === 'working' || next.working.includes(pane));
  const working = stillWorking
    .filter(({ status }) => !isSettled(status))
    .map(({ pane }) => pane)
    .sort();
  const began = working.length > 0 && activity.status !== 'working';
  for (const agent of agents) if (isSettled(agent.status)) next = handle(next, agent);
  return {
    ...next,
    working,
    status: working.length > 0 ? 'working' : overall(agents),
    progress: began
      ? begun(
          next.progress,
          stillWorking.filter(({ pane }) => working.includes(pane)),
          at,
        )
      : next.progress,
  };
}

/**
 * A round begins. It is called by what began it: of several agents the one that has worked longest, so that a browser that
 * comes later calls it the same as long as that one works.
 */
function begun({ fingerprint }: Progress, agents: readonly AgentFact[], at: number): Progress {
  const [first] = [...agents].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  const named = first?.terminal && first.seq !== null && agents.every(({ seq }) => seq !== null);
  return { checkedAt: at, sentAt: null, fingerprint, ...(named ? { round: `${first.terminal}@${first.seq}` } : {}) };
}

/** Several settles that nobody was told of are told together. */
function joinPending(before: Pending | null, ended: readonly AgentFact[], missed: boolean): Pending {
  const panes = ended.map((agent) => ({
    pane: agent.pane,
    name: agent.name,
    status: agent.status,
    ...settleOf(agent),
  }));
  const others = (before?.panes ?? []).filter(({ pane }) => panes.every((one) => one.pane !== pane));
  return {
    count: (before?.count ?? 0) + 1,
    at: Math.max(before?.at ?? 0, ...ended.map(({ at }) => at)),
    panes: [...others, ...panes],
    missed: missed || (before?.missed ?? false),
    notBefore: 0,
    uncertain: false,
  };
}

function settle(activity: Activity, ended: readonly AgentFact[], missed: boolean): Activity {
  let next = activity;
  for (const agent of ended) next = handle(next, agent);
  const working = activity.working.filter((pane) => ended.every((agent) => agent.pane !== pane));
  const last = ended.at(-1)?.status ?? 'unknown';
  return {
    ...next,
    working,
    status: working.length > 0 ? 'working' : statusOf(last),
    pending: joinPending(activity.pending, ended, missed),
  };
}

function handle(activity: Activity, agent: AgentFact): Activity {
  const { [agent.pane]: _before, ...others } = activity.handled;
  const kept = Object.fromEntries(Object.entries(others).slice(-(PANES_REMEMBERED - 1)));
  return { ...activity, handled: { ...kept, [agent.pane]: keyOf(agent) } };
}

function keyOf({ seq, at }: AgentFact): string {
  return seq === null ? `t:${at}` : String(seq);
}

/** The same to everybody: Herdr's sequence, which begins anew with Herdr, and the terminal, which never comes again. */
function settleOf({ terminal, seq, status }: AgentFact): { settle?: string } {
  if (seq === null || !terminal) return {};
  return { settle: status === 'gone' ? `${terminal}@gone:${seq}` : `${terminal}@${seq}` };
}

/** A sequence below one that was handled is an event that came late. */
function isOlder(activity: Activity, { pane, seq }: AgentFact): boolean {
  const handled = Number(activity.handled[pane] ?? Number.NaN);
  return seq !== null && Number.isFinite(handled) && seq < handled;
}

function statusOf(status: string): WorkspaceStatus {
  return isSettled(status) ? status : 'unknown';
}

/** What needs a person shows first. */
function overall(agents: readonly AgentFact[]): WorkspaceStatus {
  for (const status of ['blocked', 'done', 'idle'] as const) {
    if (agents.some((agent) => agent.status === status)) return status;
  }
  return agents.length > 0 ? 'unknown' : 'idle';
}
