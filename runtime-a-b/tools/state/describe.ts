/** Herdr's objects as `herdr_inspect` shows them. Pure; absent facts are left out or null, never guessed. */
import type { AgentInfo, PaneInfo, TabInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import { directoryOf, knownStatus } from '../../herdr/index.ts';
import { TITLE_CHARS_MAX } from '../../limits.ts';
import type { Root, RootTable } from '../../roots/index.ts';
import type { ToolContext } from '../context.ts';
import type { GitHint } from './git-hints.ts';

type Fact = Record<string, unknown>;

const shortTitle = (title: string | undefined): string | undefined =>
  title !== undefined && title.length > TITLE_CHARS_MAX ? `${title.slice(0, TITLE_CHARS_MAX)}…` : title;

export function paneFact(pane: PaneInfo, agent: AgentInfo | undefined, ref: ToolContext['ref']): Fact {
  return {
    id: pane.pane_id,
    ref: ref.pane(pane.pane_id),
    workspace: pane.workspace_id,
    cwd: directoryOf(pane) ?? null,
    ...(pane.label === undefined ? {} : { label: pane.label }),
    ...(pane.focused ? { focused: true } : {}),
    agent: agent ? agentInPane(agent) : null,
  };
}

const agentInPane = (agent: AgentInfo): Fact => ({
  name: agent.name ?? null,
  status: knownStatus(agent.agent_status),
  terminal_title: shortTitle(agent.terminal_title_stripped ?? agent.terminal_title),
  state_change_seq: agent.state_change_seq,
});

/** Name and kind are two things: who has no unique name is addressed by the pane. */
export function agentFact(agent: AgentInfo, ref: ToolContext['ref'], capabilities?: Record<string, unknown>): Fact {
  return {
    name: agent.name ?? null,
    kind: agent.agent ?? null,
    pane: agent.pane_id,
    ref: ref.pane(agent.pane_id),
    status: knownStatus(agent.agent_status),
    workspace: agent.workspace_id,
    cwd: directoryOf(agent) ?? null,
    terminal_title: shortTitle(agent.terminal_title_stripped ?? agent.terminal_title),
    state_change_seq: agent.state_change_seq,
    ...(agent.launch_pending ? { launch_pending: true } : {}),
    // Herdr says so only of agents that it started itself; of all others it is not known.
    interactive_ready: agent.interactive_ready ?? 'unknown',
    ...(agent.agent_session ? { session_ref: agent.agent_session } : {}),
    ...(capabilities ? { capabilities } : {}),
  };
}

export const tabFact = (tab: TabInfo): Fact => ({ id: tab.tab_id, workspace: tab.workspace_id, label: tab.label });

/** The directory of a workspace: its checkout, else where the first pane of its first tab stands (protocol 6.3). */
export function workspaceDirectory(workspace: WorkspaceInfo, panes: readonly PaneInfo[]): string | null {
  if (workspace.worktree) return workspace.worktree.checkout_path;
  const own = panes.find((pane) => pane.workspace_id === workspace.workspace_id);
  return (own && directoryOf(own)) ?? null;
}

export function workspaceFact(
  workspace: WorkspaceInfo,
  parts: {
    cwd: string | null;
    roots: readonly Root[];
    table: RootTable;
    hints: ReadonlyMap<string, GitHint>;
    panesOfRoot: (root: Root, workspaceId: string) => string[];
    ref: ToolContext['ref'];
  },
): Fact {
  const id = workspace.workspace_id;
  return {
    id,
    ref: parts.ref.workspace(id),
    label: workspace.label,
    cwd: parts.cwd,
    tabs: workspace.tab_count,
    panes: workspace.pane_count,
    focused: workspace.focused,
    agent_status: knownStatus(workspace.agent_status),
    heterogeneous: parts.roots.length > 1,
    projects: parts.roots.map((root) => projectFact(root, id, parts.panesOfRoot(root, id), parts.hints.get(root.path))),
  };
}

/** An operational root has no version control, so it has no Git facts either, not even unknown ones. */
function projectFact(root: Root, workspaceId: string, paneIds: string[], hint: GitHint | undefined): Fact {
  const elsewhere = root.workspaces.filter((id) => id !== workspaceId);
  if (root.guarded) {
    // Nothing looked into a protected folder, so nothing of what is in it is known; the broker tells when it is asked.
    const unknown = { managed: 'unknown', vcs: 'unknown', protected: true };
    return {
      root: root.path,
      pane_ids: paneIds,
      ...unknown,
      ...(elsewhere.length > 0 ? { also_open_in: elsewhere } : {}),
    };
  }
  return {
    root: root.path,
    pane_ids: paneIds,
    managed: root.kind === 'git',
    vcs: root.kind === 'git' ? 'git' : null,
    ...(root.bare ? { bare: true } : {}),
    ...(root.stale ? { stale: true } : {}),
    ...(root.kind === 'git' && !root.bare ? gitFacts(hint) : {}),
    ...(elsewhere.length > 0 ? { also_open_in: elsewhere } : {}),
  };
}

const gitFacts = (hint: GitHint | undefined): Fact =>
  hint ? { ...hint } : { dirty: null, changed_files: null, branch: null, observed_at_ms: null };
