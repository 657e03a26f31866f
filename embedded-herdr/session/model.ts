import type { WorkspaceWorktreeInfo } from '../../contract/herdr/index.ts';
import type { Sighting, Track } from '../agents/index.ts';
import type { PaneTerminal } from '../terminal/index.ts';
import type { Layout } from './layout.ts';

/** A start by `agent.start` that is under way or has become ready. */
export interface Launch {
  kind: string;
  startedAt: number;
  deadline: number;
  ready: boolean;
}

/** Display metadata that hooks gave a pane. */
export interface Presentation {
  title: string | undefined;
  displayAgent: string | undefined;
  stateLabels: Record<string, string>;
  tokens: Record<string, string>;
}

export interface Pane {
  readonly id: string;
  readonly number: number;
  readonly workspaceId: string;
  readonly tabId: string;
  readonly terminalId: string;
  readonly launchCwd: string;
  readonly terminal: PaneTerminal;
  label: string | undefined;
  track: Track;
  /** The unique name of the agent that is here now. */
  name: string | undefined;
  launch: Launch | undefined;
  /** Whether somebody was there when the agent came to rest. */
  seen: boolean;
  stateChangeSeq: number;
  revision: number;
  strippedTitle: string;
  presentation: Presentation;
  /** Sequence numbers of reporting sources. */
  sequences: Map<string, number>;
  /** Who had the foreground at the last probe. */
  foreground: Sighting | undefined;
}

export interface Tab {
  readonly id: string;
  readonly workspaceId: string;
  readonly number: number;
  label: string | undefined;
  layout: Layout;
  focusedPane: string;
}

export interface Workspace {
  readonly id: string;
  readonly number: number;
  label: string | undefined;
  tabs: Tab[];
  activeTab: string;
  nextTab: number;
  nextPane: number;
  tokens: Record<string, string>;
  tokenSequences: Map<string, number>;
  worktree: WorkspaceWorktreeInfo | undefined;
}
