/** Reads one picture of Herdr: the snapshot, or the four lists where there is none. */
import type { AgentInfo, PaneInfo, SessionSnapshot, TabInfo, WorkspaceInfo } from '../../contract/herdr/index.ts';
import { HERDR_SNAPSHOT_MS } from '../limits.ts';
import type { HerdrClient } from './client.ts';
import { HerdrFailure } from './failure.ts';

const LOOK = { timeoutMs: HERDR_SNAPSHOT_MS };

/** What Herdr says exists. The lists are in Herdr's order. */
export interface Picture {
  workspaces: WorkspaceInfo[];
  tabs: TabInfo[];
  panes: PaneInfo[];
  agents: AgentInfo[];
  focused: { workspaceId?: string; tabId?: string; paneId?: string };
  warnings: string[];
}

/** Throws {@link HerdrFailure} when the server is not there. A server that only fails at snapshots is asked for lists. */
export async function takePicture(client: HerdrClient): Promise<Picture> {
  try {
    return fromSnapshot((await client.call('session.snapshot', {}, LOOK)).snapshot);
  } catch (error) {
    if (!(error instanceof HerdrFailure) || !worthListing(error)) throw error;
    return await fromLists(client);
  }
}

/** A server that answered, if only with an error or too much, can be asked again; one that is gone cannot. */
function worthListing(failure: HerdrFailure): boolean {
  return failure.answered ? failure.code !== 'server_unavailable' : failure.code === 'response_too_large';
}

function fromSnapshot(snapshot: SessionSnapshot): Picture {
  return {
    workspaces: snapshot.workspaces ?? [],
    tabs: snapshot.tabs ?? [],
    panes: snapshot.panes ?? [],
    agents: snapshot.agents ?? [],
    focused: {
      ...(snapshot.focused_workspace_id === undefined ? {} : { workspaceId: snapshot.focused_workspace_id }),
      ...(snapshot.focused_tab_id === undefined ? {} : { tabId: snapshot.focused_tab_id }),
      ...(snapshot.focused_pane_id === undefined ? {} : { paneId: snapshot.focused_pane_id }),
    },
    warnings: [],
  };
}

/** Four answers that need not fit together: a thing whose workspace is not listed is left out. */
async function fromLists(client: HerdrClient): Promise<Picture> {
  const [workspaces, tabs, panes, agents] = await Promise.all([
    client.call('workspace.list', {}, LOOK),
    client.call('tab.list', {}, LOOK),
    client.call('pane.list', {}, LOOK),
    client.call('agent.list', {}, LOOK),
  ]);
  const known = new Set(workspaces.workspaces.map((workspace) => workspace.workspace_id));
  const belongs = <T extends { workspace_id: string }>(items: T[]) =>
    items.filter((item) => known.has(item.workspace_id));
  const focusedWorkspace = workspaces.workspaces.find((workspace) => workspace.focused);
  const focusedPane = belongs(panes.panes).find((pane) => pane.focused);
  return {
    workspaces: workspaces.workspaces,
    tabs: belongs(tabs.tabs),
    panes: belongs(panes.panes),
    agents: belongs(agents.agents),
    focused: {
      ...(focusedWorkspace ? { workspaceId: focusedWorkspace.workspace_id } : {}),
      ...(focusedPane ? { tabId: focusedPane.tab_id, paneId: focusedPane.pane_id } : {}),
    },
    warnings: ['snapshot_failed_used_list_apis'],
  };
}
