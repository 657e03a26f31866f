/**
 * What happened between two pictures of Herdr, as events. Herdr's own stream replays old events without saying so,
 * loses some and has none for others (protocol 4.4, 4.5); two pictures tell the truth about what differs. Pure.
 */
import type { AgentInfo, AgentStatus, PaneInfo, TabInfo, WorkspaceInfo } from '../../contract/herdr/index.ts';
import type { Picture } from './picture.ts';

/** One change. `type` is Herdr's wire name where Herdr has one for it. */
export interface Change {
  type: string;
  workspace_id?: string;
  tab_id?: string;
  pane_id?: string;
  /** Beside the ids: what is needed to understand the change, never a whole object with its noise. */
  facts?: Record<string, unknown>;
}

/** Closings before openings, containers before contents; the order inside a kind is Herdr's. */
export function changesBetween(before: Picture, after: Picture): Change[] {
  return [
    ...panesGone(before, after),
    ...gone(before.tabs, after.tabs, tabKey).map((tab) => ({ type: 'tab_closed', ...tabIds(tab) })),
    ...gone(before.workspaces, after.workspaces, workspaceKey).map(
      (workspace): Change => ({
        type: 'workspace_closed',
        workspace_id: workspace.workspace_id,
        facts: { label: workspace.label },
      }),
    ),
    ...workspacesCame(before, after),
    ...tabsCame(before, after),
    ...panesCame(before, after),
    ...agentChanges(before, after),
    ...focusChanges(before, after),
  ];
}

const workspaceKey = (workspace: WorkspaceInfo) => workspace.workspace_id;
const tabKey = (tab: TabInfo) => tab.tab_id;
/** A pane that moves to another workspace gets a new id and keeps its terminal. */
const terminalKey = (pane: PaneInfo) => pane.terminal_id;
const agentKey = (agent: AgentInfo) => agent.pane_id;

const tabIds = (tab: TabInfo) => ({ workspace_id: tab.workspace_id, tab_id: tab.tab_id });
const paneIds = (pane: { workspace_id: string; tab_id: string; pane_id: string }) => ({
  workspace_id: pane.workspace_id,
  tab_id: pane.tab_id,
  pane_id: pane.pane_id,
});

const byKey = <T>(items: readonly T[], key: (item: T) => string) => new Map(items.map((item) => [key(item), item]));

function gone<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): T[] {
  const left = byKey(after, key);
  return before.filter((item) => !left.has(key(item)));
}

/** Pairs of the same thing before and after; `before` is undefined for what is new. */
function pairs<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): [T | undefined, T][] {
  const old = byKey(before, key);
  return after.map((item) => [old.get(key(item)), item]);
}

/** A restarted Herdr gives every pane a new terminal under its old id: that is a pane gone and one come. */
function panesGone(before: Picture, after: Picture): Change[] {
  return gone(before.panes, after.panes, terminalKey).map((pane) => ({ type: 'pane_closed', ...paneIds(pane) }));
}

function workspacesCame(before: Picture, after: Picture): Change[] {
  return pairs(before.workspaces, after.workspaces, workspaceKey).flatMap(([old, now]): Change[] => {
    const ids = { workspace_id: now.workspace_id };
    if (!old) return [{ type: 'workspace_created', ...ids, facts: { label: now.label } }];
    if (old.label !== now.label) return [{ type: 'workspace_renamed', ...ids, facts: { label: now.label } }];
    const tree = (workspace: WorkspaceInfo) => workspace.worktree?.checkout_path;
    return tree(old) === tree(now) ? [] : [{ type: 'workspace_updated', ...ids, facts: { checkout_path: tree(now) } }];
  });
}

function tabsCame(before: Picture, after: Picture): Change[] {
  return pairs(before.tabs, after.tabs, tabKey).flatMap(([old, now]): Change[] => {
    if (!old) return [{ type: 'tab_created', ...tabIds(now), facts: { label: now.label } }];
    return old.label === now.label ? [] : [{ type: 'tab_renamed', ...tabIds(now), facts: { label: now.label } }];
  });
}

function panesCame(before: Picture, after: Picture): Change[] {
  return pairs(before.panes, after.panes, terminalKey).flatMap(([old, now]): Change[] => {
    const facts = { cwd: directoryOf(now), title: now.terminal_title_stripped ?? now.title, label: now.label };
    if (!old) return [{ type: 'pane_created', ...paneIds(now), facts }];
    if (old.pane_id !== now.pane_id) {
      return [{ type: 'pane_moved', ...paneIds(now), facts: { ...facts, previous_pane_id: old.pane_id } }];
    }
    const title = (pane: PaneInfo) => pane.terminal_title_stripped ?? pane.title;
    const same = directoryOf(old) === directoryOf(now) && title(old) === title(now) && old.label === now.label;
    return same ? [] : [{ type: 'pane_updated', ...paneIds(now), facts }];
  });
}

/** The directory of a pane: where its foreground program works, else its shell. */
export function directoryOf(pane: { cwd?: string; foreground_cwd?: string }): string | undefined {
  return pane.foreground_cwd ?? pane.cwd;
}

/** Herdr may grow statuses; one that we do not know says nothing. */
export function knownStatus(status: string): AgentStatus {
  return KNOWN.has(status) ? (status as AgentStatus) : 'unknown';
}
const KNOWN: ReadonlySet<string> = new Set<AgentStatus>(['idle', 'working', 'blocked', 'done', 'unknown']);

/** Name, kind and session of an agent: what an event says about who it is. */
const who = (agent: AgentInfo) => ({
  ...(agent.name === undefined ? {} : { name: agent.name }),
  ...(agent.agent === undefined ? {} : { agent: agent.agent }),
});

function agentChanges(before: Picture, after: Picture): Change[] {
  const left = gone(before.agents, after.agents, agentKey).map(
    (agent): Change => ({
      type: 'pane_agent_detected',
      ...paneIds(agent),
      facts: { ...who(agent), released: true, final_status: knownStatus(agent.agent_status) },
    }),
  );
  const rest = pairs(before.agents, after.agents, agentKey).flatMap(([old, now]): Change[] => {
    const status = knownStatus(now.agent_status);
    const seq = now.state_change_seq;
    const facts = { ...who(now), agent_status: status, ...(seq === undefined ? {} : { state_change_seq: seq }) };
    if (!old || old.terminal_id !== now.terminal_id || old.agent !== now.agent) {
      return [{ type: 'pane_agent_detected', ...paneIds(now), facts }];
    }
    const moved = seq !== undefined && old.state_change_seq !== undefined && seq !== old.state_change_seq;
    const previous = knownStatus(old.agent_status);
    if (previous === status && !moved) {
      return old.name === now.name ? [] : [{ type: 'pane_updated', ...paneIds(now), facts }];
    }
    // The number moves with every change of state, so an equal status with a new number means a turn that we missed.
    return [{ type: 'pane_agent_status_changed', ...paneIds(now), facts: { ...facts, previous_status: previous } }];
  });
  return [...left, ...rest];
}

function focusChanges(before: Picture, after: Picture): Change[] {
  const changes: Change[] = [];
  const { workspaceId, paneId } = after.focused;
  if (workspaceId !== undefined && workspaceId !== before.focused.workspaceId) {
    changes.push({ type: 'workspace_focused', workspace_id: workspaceId });
  }
  if (paneId !== undefined && paneId !== before.focused.paneId) {
    const pane = after.panes.find((candidate) => candidate.pane_id === paneId);
    changes.push(pane ? { type: 'pane_focused', ...paneIds(pane) } : { type: 'pane_focused', pane_id: paneId });
  }
  return changes;
}
