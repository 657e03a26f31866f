/** How a picture is shown: rows, sums, and how long something has been so. Pure, and the same on every surface. */
import type { AgentStatus } from '../herdr/index.ts';
import type { Capability } from './actions.ts';
import type { Picture } from './picture.ts';
import type { PaneLine, PushPane, PushWorkspace } from './push.ts';

export interface PaneRow {
  id: string;
  workspace: string;
  /** What the agent is called: its name, else its kind; null: a terminal without an agent. */
  agent: string | null;
  /** Null: no agent, so there is nothing that works or waits. */
  status: AgentStatus | null;
  /** Since when it has that status, in ms since 1970. */
  since: number | null;
  cwd: string | null;
  /** The last line that it shows, else its title; null: neither is known. */
  line: string | null;
  focused: boolean;
  revision: string;
  capabilities: readonly Capability[];
}

/** How many panes have which status; `terminal`: no agent. */
export type Counts = Record<AgentStatus | 'terminal', number>;

export interface WorkspaceRow {
  id: string;
  label: string;
  /** What needs a person first; null: no agent in it. */
  status: AgentStatus | null;
  counts: Counts;
  /** Ids, in Herdr's order. */
  panes: readonly string[];
}

export function paneRow(pane: PushPane, line: PaneLine | undefined): PaneRow {
  const title = pane.terminal_title_stripped ?? pane.terminal_title ?? pane.title;
  const hasAgent = pane.agent !== undefined;
  return {
    id: pane.pane_id,
    workspace: pane.workspace_id,
    agent: hasAgent ? (pane.name ?? pane.display_agent ?? pane.agent ?? null) : null,
    status: hasAgent ? (ORDER.find((one) => one === pane.agent_status) ?? 'unknown') : null,
    since: hasAgent ? pane.since : null,
    cwd: pane.foreground_cwd ?? pane.cwd ?? null,
    line: line?.line || title || null,
    focused: pane.focused,
    revision: pane.target_revision,
    capabilities: pane.control_capabilities,
  };
}

/** From what needs a person to what needs nobody. */
const ORDER = ['blocked', 'working', 'done', 'idle', 'unknown'] as const satisfies readonly AgentStatus[];

export function countsOf(rows: readonly Pick<PaneRow, 'status'>[]): Counts {
  const counts: Counts = { working: 0, blocked: 0, done: 0, idle: 0, unknown: 0, terminal: 0 };
  for (const { status } of rows) counts[status ?? 'terminal'] += 1;
  return counts;
}

export function workspaceRow(workspace: PushWorkspace, rows: readonly PaneRow[]): WorkspaceRow {
  const counts = countsOf(rows);
  return {
    id: workspace.id,
    label: workspace.label,
    status: ORDER.find((status) => counts[status] > 0) ?? null,
    counts,
    panes: rows.map(({ id }) => id),
  };
}

/** The panes of one workspace in Herdr's order; panes that the workspace does not name yet come last. */
export function rowsOf(picture: Picture, workspace: PushWorkspace): PaneRow[] {
  const listed = new Set(workspace.panes);
  const late = [...picture.panes.values()].filter(
    ({ pane_id: id, workspace_id: of }) => of === workspace.id && !listed.has(id),
  );
  return [...workspace.panes, ...late.map(({ pane_id }) => pane_id)].flatMap((id) => {
    const pane = picture.panes.get(id);
    return pane?.workspace_id === workspace.id ? [paneRow(pane, picture.lines.get(id))] : [];
  });
}

export interface View {
  herdr: Picture['herdr'];
  counts: Counts;
  workspaces: readonly (WorkspaceRow & { rows: readonly PaneRow[] })[];
}

/** Everything at once, for whoever draws the whole of it. Workspaces stand in Herdr's order. */
export function viewOf(picture: Picture): View {
  const workspaces = [...picture.workspaces.values()].map((workspace) => {
    const rows = rowsOf(picture, workspace);
    return { ...workspaceRow(workspace, rows), rows };
  });
  return { herdr: picture.herdr, counts: countsOf(workspaces.flatMap(({ rows }) => rows)), workspaces };
}

/** `0:42`, `12:03`, `3:04:05`, `2d 03:04`: the same in every language. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3_600),
    Math.floor((seconds % 3_600) / 60),
  ];
  const two = (value: number) => String(value).padStart(2, '0');
  if (days > 0) return `${days}d ${two(hours)}:${two(minutes)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** What differs from one view to the next, row by row, for whoever passes changes on. */
export type ViewChange =
  | { event: 'herdr'; herdr: View['herdr'] }
  | { event: 'workspace'; workspace: WorkspaceRow }
  | { event: 'workspace_gone'; workspace: string }
  | { event: 'pane'; pane: PaneRow }
  | { event: 'pane_gone'; pane: string };

export function changesOf(before: View, after: View): ViewChange[] {
  const changes: ViewChange[] = same(before.herdr, after.herdr) ? [] : [{ event: 'herdr', herdr: after.herdr }];
  const old = new Map(before.workspaces.map((one) => [one.id, one]));
  const oldPanes = new Map(before.workspaces.flatMap(({ rows }) => rows.map((row) => [row.id, row])));
  for (const { rows, ...workspace } of after.workspaces) {
    const { rows: _rows, ...was } = old.get(workspace.id) ?? { rows: [] };
    if (!same(was, workspace)) changes.push({ event: 'workspace', workspace });
    for (const pane of rows) if (!same(oldPanes.get(pane.id), pane)) changes.push({ event: 'pane', pane });
    old.delete(workspace.id);
    for (const { id } of rows) oldPanes.delete(id);
  }
  for (const pane of oldPanes.keys()) changes.push({ event: 'pane_gone', pane });
  for (const workspace of old.keys()) changes.push({ event: 'workspace_gone', workspace });
  return changes;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
