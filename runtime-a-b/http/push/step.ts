/**
 * From one picture of Herdr to the next: which events that is. Pure.
 *
 * An agent works or has settled only when two looks, at least {@link PUSH_DEBOUNCE_MS} apart, agree: a flap between them
 * is no event, and what is shown meanwhile is the last confirmed status, so that nobody is woken by a flap either. A turn
 * that began and ended between two looks causes no event, because its length is not known; its `seq` shows it. The looks
 * follow Herdr's own reports, so that is a turn shorter than the debounce.
 */
import type { HerdrState, PushAgent, PushPane, PushWorkspace } from '../../../contract/control/index.ts';
import type { AgentInfo, AgentStatus } from '../../../contract/herdr/index.ts';
import { type HerdrView, knownStatus } from '../../herdr/index.ts';
import { PUSH_DEBOUNCE_MS } from '../../limits.ts';
import { activityOf, agentFact, type PushEvent, paneFact, workspaceFact } from './facts.ts';

interface KnownAgent {
  fact: PushAgent;
  /** Confirmed. It stays while the status is unknown. */
  working: boolean;
  /** A change that one look has shown and none has confirmed: since when, in ms. */
  pendingSince?: number;
}

export interface Known {
  server: string | undefined;
  herdr: HerdrState;
  /** By terminal: a pane that moves keeps it, a restarted shell has a new one. */
  agents: ReadonlyMap<string, KnownAgent>;
  panes: ReadonlyMap<string, PushPane>;
  workspaces: ReadonlyMap<string, PushWorkspace>;
}

export const NOTHING_KNOWN: Known = {
  server: undefined,
  herdr: { state: 'unknown', problem: null, server: null },
  agents: new Map(),
  panes: new Map(),
  workspaces: new Map(),
};

export interface Step {
  known: Known;
  events: PushEvent[];
  /** A change waits to be confirmed: look again after the debounce. */
  waiting: boolean;
}

/**
 * `rootsOf` gives the project roots of a workspace, `bootId` names this runtime in what is said of panes. A picture that
 * is not live changes nothing but what is said of Herdr.
 */
export function step(
  before: Known,
  view: HerdrView,
  rootsOf: (workspace: string) => readonly string[],
  bootId: string,
): Step {
  const herdr = {
    state: view.state,
    problem: view.problem?.code ?? null,
    server: view.server?.key ?? before.herdr.server,
  };
  const at = view.observedAtMs ?? 0;
  const said = sameJson(herdr, before.herdr) ? [] : [{ type: 'herdr_state' as const, data: { ...herdr } }];
  if (view.state !== 'live' || !view.server) return { known: { ...before, herdr }, events: said, waiting: false };

  const moved = before.server !== undefined && before.server !== view.server.key;
  const old = moved ? NOTHING_KNOWN : before;
  const agents = stepAgents(old.agents, view.agents, at);
  const agentIn = new Map([...agents.known.values()].map(({ fact }) => [fact.pane, fact]));
  const speaker = { bootId, serverKey: view.server.key };
  const panes = new Map(view.panes.map((pane) => [pane.pane_id, paneFact(pane, agentIn.get(pane.pane_id), speaker)]));
  const workspaces = new Map(
    view.workspaces.map((workspace) => [
      workspace.workspace_id,
      workspaceFact(workspace, view.panes, rootsOf(workspace.workspace_id)),
    ]),
  );
  return {
    known: { server: view.server.key, herdr, agents: agents.known, panes, workspaces },
    events: [
      ...said,
      // Another Herdr has other things under the same ids: all of the old ones are gone, none is mapped.
      ...(moved ? closings(before, NOTHING_KNOWN, at) : []),
      ...agents.gone,
      ...closings(old, { panes, workspaces }, at),
      ...openings(old, { panes, workspaces }, at),
      ...agents.changed,
    ],
    waiting: [...agents.known.values()].some(({ pendingSince }) => pendingSince !== undefined),
  };
}

type Places = Pick<Known, 'panes' | 'workspaces'>;

function closings(before: Places, after: Places, at: number): PushEvent[] {
  const events: PushEvent[] = [];
  for (const [id, { workspace_id: workspace }] of before.panes) {
    if (after.panes.has(id)) continue;
    events.push({ type: 'pane_removed', workspace, pane: id, data: { pane: id, pane_id: id, workspace, at } });
  }
  for (const id of before.workspaces.keys()) {
    if (!after.workspaces.has(id))
      events.push({ type: 'workspace_removed', workspace: id, data: { workspace: id, at } });
  }
  return events;
}

function openings(before: Places, after: Places, at: number): PushEvent[] {
  const events: PushEvent[] = [];
  for (const [id, fact] of after.workspaces) {
    if (sameJson(before.workspaces.get(id), fact)) continue;
    events.push({ type: 'workspace_upsert', workspace: id, data: { workspace: id, workspace_data: fact, at } });
  }
  for (const [id, fact] of after.panes) {
    if (sameJson(before.panes.get(id), fact)) continue;
    const workspace = fact.workspace_id;
    events.push({
      type: 'pane_upsert',
      workspace,
      pane: id,
      data: { pane: id, pane_id: id, workspace, pane_data: fact, at },
    });
  }
  return events;
}

function stepAgents(before: ReadonlyMap<string, KnownAgent>, agents: readonly AgentInfo[], at: number) {
  const known = new Map<string, KnownAgent>();
  const gone: PushEvent[] = [];
  const changed: PushEvent[] = [];
  for (const agent of agents) {
    const old = before.get(agent.terminal_id);
    const next = stepAgent(old?.fact.agent === (agent.agent ?? null) ? old : undefined, agent, at);
    known.set(agent.terminal_id, next.known);
    if (next.type) changed.push(agentEvent(next.type, next.known.fact, at));
  }
  for (const [terminal, { fact }] of before) {
    if (known.get(terminal)?.fact.agent !== fact.agent) gone.push(agentEvent('agent_gone', fact, at));
  }
  return { known, gone, changed };
}

function stepAgent(old: KnownAgent | undefined, agent: AgentInfo, at: number) {
  const seen = knownStatus(agent.agent_status);
  const activity = activityOf(seen);
  const working = old?.working ?? false;
  const fresh = agentFact(agent, { startedAt: old?.fact.started_at ?? at, activityAt: at });
  const steady = old?.fact.status === fresh.status && old.fact.seq === fresh.seq;
  const same = steady ? { ...fresh, last_activity_at: old.fact.last_activity_at } : fresh;
  if (activity === 'unknown' || (activity === 'working') === working) return { known: { fact: same, working } };
  // Counted from the first look that showed it; a clock that was put back begins anew.
  const since = Math.min(old?.pendingSince ?? at, at);
  if (old?.pendingSince !== undefined && at - since >= PUSH_DEBOUNCE_MS) {
    const type = activity === 'working' ? ('agent_working' as const) : ('agent_settled' as const);
    return { known: { fact: fresh, working: activity === 'working' }, type };
  }
  return { known: { fact: shownMeanwhile(fresh, old), working, pendingSince: since } };
}

/** Who is new has no confirmed status yet. */
function shownMeanwhile(fresh: PushAgent, old: KnownAgent | undefined): PushAgent {
  const status: AgentStatus = old?.fact.status ?? 'unknown';
  return {
    ...fresh,
    status,
    seq: old?.fact.seq ?? null,
    last_activity_at: old?.fact.last_activity_at ?? fresh.last_activity_at,
  };
}

function agentEvent(type: PushEvent['type'], fact: PushAgent, at: number): PushEvent {
  const agent = [fact.name, fact.agent].filter((text) => text !== null);
  return { type, workspace: fact.workspace, pane: fact.pane, agent, data: { ...fact, at } };
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
