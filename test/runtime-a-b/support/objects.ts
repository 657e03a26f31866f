/** Herdr's objects with everything that is required, for tables. */
import type { AgentInfo, PaneInfo, TabInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import type { HerdrView } from '../../../runtime-a-b/herdr/index.ts';

export function workspace(id: string, more: Partial<WorkspaceInfo> = {}): WorkspaceInfo {
  return {
    workspace_id: id,
    number: 1,
    label: id,
    focused: false,
    pane_count: 1,
    tab_count: 1,
    active_tab_id: `${id}:t1`,
    agent_status: 'unknown',
    ...more,
  };
}

export function tab(id: string, more: Partial<TabInfo> = {}): TabInfo {
  return {
    tab_id: id,
    workspace_id: id.split(':')[0] ?? '',
    number: 1,
    label: '1',
    focused: false,
    pane_count: 1,
    agent_status: 'unknown',
    ...more,
  };
}

export function pane(id: string, more: Partial<PaneInfo> = {}): PaneInfo {
  const workspaceId = id.split(':')[0] ?? '';
  return {
    pane_id: id,
    terminal_id: `term_${id}`,
    workspace_id: workspaceId,
    tab_id: `${workspaceId}:t1`,
    focused: false,
    agent_status: 'unknown',
    revision: 0,
    ...more,
  };
}

/** The answer to `pane.read`: what stands in that pane. */
export const paneRead = (id: unknown, text: string) => ({
  type: 'pane_read',
  read: {
    pane_id: id,
    workspace_id: 'w1',
    tab_id: 'w1:t1',
    source: 'visible',
    format: 'text',
    text,
    revision: 0,
    truncated: false,
  },
});

export function agent(id: string, more: Partial<AgentInfo> = {}): AgentInfo {
  const { revision, ...common } = pane(id);
  return { ...common, revision, agent: 'claude', agent_status: 'idle', state_change_seq: 1, ...more };
}

export function view(more: Partial<HerdrView> = {}): HerdrView {
  return {
    state: 'live',
    observedAtMs: 1,
    server: { key: 'embedded', version: '0.8.0-embedded.1', protocol: 19, support: 'full', embedded: true },
    workspaces: [],
    tabs: [],
    panes: [],
    agents: [],
    focused: {},
    problem: undefined,
    warnings: [],
    revision: 1,
    ...more,
  };
}
