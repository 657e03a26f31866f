/** Events of the runtime's stream. What is not current changes nothing and is counted. Pure. */
import { type AgentFact, agentGone, agentSettled, agentWorking, type Heard, reconcile } from './activity.ts';
import { catalogue, retire } from './binding.ts';
import type { Effect, Event, Fresh, Planned } from './events.ts';
import { lookAt } from './plan.ts';
import { type Binding, ignored, type State, withBinding } from './state.ts';

/** The whole state at a connect: the catalogue, and whatever settled while nobody listened. */
export function hear(state: State, event: Extract<Event, { type: 'hello' }>, now: number): Planned {
  const { fresh, boot, position, replaying } = event;
  let next: State = {
    ...state,
    link: 'connected',
    stream: { boot, position, herdr: fresh.herdr, server: fresh.server ?? state.stream.server },
  };
  next = takeCatalogue(next, fresh, now);
  if (!replaying && fresh.herdr === 'live') next = reconcileAll(next, fresh, event.at);
  return { state: next, effects: inboxes(next) };
}

/** One event. Its position must be above the last one of the same boot. */
export function heard(state: State, event: Extract<Event, { type: 'pushed' }>, now: number): Planned {
  const { boot, position } = event;
  if (boot !== state.stream.boot) return { state: ignored(state, 'other_boot'), effects: [] };
  if (position <= state.stream.position) return { state: ignored(state, 'position_handled'), effects: [] };
  const next: State = { ...state, stream: { ...state.stream, position } };
  return act(next, event, now);
}

function act(state: State, { name, data }: Extract<Event, { type: 'pushed' }>, now: number): Planned {
  switch (name) {
    case 'agent_working':
      return agent(state, data, agentWorking);
    case 'agent_settled':
      return agent(state, data, agentSettled);
    case 'agent_gone':
      return agent(state, data, agentGone);
    case 'workspace_upsert':
      return { state: upsert(state, data), effects: [] };
    case 'workspace_removed':
      return { state: removed(state, textOf(data['workspace']), now), effects: [] };
    case 'herdr_state':
      return { state: herdrState(state, data, now), effects: [] };
    case 'agent_task':
      return { state, effects: inboxes(state) };
    default:
      return { state, effects: [] };
  }
}

function agent(
  state: State,
  data: Readonly<Record<string, unknown>>,
  apply: (activity: Binding['activity'], fact: AgentFact) => Heard,
): Planned {
  const rows = rowsOf(state, textOf(data['workspace']));
  const wasBound = state.retired.some(({ id }) => id.endsWith(`/${textOf(data['workspace'])}`));
  if (rows.length === 0) return { state: wasBound ? ignored(state, 'workspace_retired') : state, effects: [] };
  const fact = factOf(data);
  let next = state;
  for (const row of rows) {
    const { activity, stale } = apply(row.activity, fact);
    next = withBinding(next, { ...row, activity });
    if (stale !== null) next = ignored(next, stale);
  }
  return { state: next, effects: [] };
}

/** Reads of the inbox for every row that has a session: the inbox decides, not the event. */
function inboxes(state: State): Effect[] {
  const seen = new Set<string>();
  return Object.values(state.bindings).flatMap((row) => {
    const conversation = row.target?.conversation;
    if (conversation === undefined || !state.sessions[conversation] || seen.has(conversation)) return [];
    seen.add(conversation);
    return [lookAt(state, row)];
  });
}

/** Only a Herdr that answers says what exists: while it is away, nothing has ended. */
function takeCatalogue(state: State, fresh: Fresh, now: number): State {
  if (fresh.herdr !== 'live' || fresh.server === null) return state;
  return catalogue(state, { server: fresh.server, workspaces: fresh.workspaces }, now);
}

function reconcileAll(state: State, fresh: Fresh, at: number): State {
  let next = state;
  for (const row of Object.values(state.bindings)) {
    const agents = fresh.agents.filter(({ workspace }) => workspace === row.workspace).map((one) => freshFact(one, at));
    next = withBinding(next, { ...row, activity: reconcile(row.activity, agents, at) });
  }
  return next;
}

/** The first state of a row that nothing is known of: who works now may settle, who has settled has done so before. */
export function baseline(row: Binding, fresh: Fresh, at: number): Binding {
  if (row.activity.status !== 'unknown' || fresh.herdr !== 'live' || fresh.server !== row.server) return row;
  const agents = fresh.agents.filter(({ workspace }) => workspace === row.workspace).map((one) => freshFact(one, at));
  return { ...row, activity: reconcile(row.activity, agents, at) };
}

function upsert(state: State, data: Readonly<Record<string, unknown>>): State {
  const given =
    typeof data['workspace_data'] === 'object' && data['workspace_data'] !== null ? data['workspace_data'] : {};
  const id = textOf(Reflect.get(given, 'id'));
  const label = textOf(Reflect.get(given, 'label'));
  if (id === '') return state;
  const workspaces = [...state.workspaces.filter((one) => one.id !== id), { id, label }];
  let next: State = { ...state, workspaces };
  for (const row of rowsOf(state, id)) if (row.label !== label) next = withBinding(next, { ...row, label });
  return next;
}

function removed(state: State, workspace: string, now: number): State {
  const workspaces = state.workspaces.filter(({ id }) => id !== workspace);
  let next: State = { ...state, workspaces };
  for (const row of rowsOf(state, workspace)) next = retire(next, row, 'workspace_closed', now);
  return next;
}

function herdrState(state: State, data: Readonly<Record<string, unknown>>, now: number): State {
  const herdr = textOf(data['state']) || 'unknown';
  const server = textOf(data['server']) || state.stream.server;
  const next: State = { ...state, stream: { ...state.stream, herdr, server } };
  if (herdr !== 'live' || server === null || server === state.stream.server) return next;
  return catalogue(next, { server, workspaces: [] }, now);
}

const rowsOf = (state: State, workspace: string): Binding[] =>
  Object.values(state.bindings).filter((row) => row.workspace === workspace && row.server === state.stream.server);

function factOf(data: Readonly<Record<string, unknown>>): AgentFact {
  const pane = textOf(data['pane']);
  return {
    pane,
    terminal: textOf(data['terminal_id']),
    name: textOf(data['name']) || textOf(data['agent']) || pane,
    status: textOf(data['status']),
    seq: typeof data['seq'] === 'number' ? data['seq'] : null,
    at: typeof data['at'] === 'number' ? data['at'] : 0,
  };
}

function freshFact(agent: Fresh['agents'][number], at: number): AgentFact {
  const { pane, name, agent: kind, status, seq, terminal = '' } = agent;
  return { pane, terminal, name: name ?? kind ?? pane, status, seq, at };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
