/**
 * What the runtime says of Herdr on the private socket: `GET /push/state` is everything now, `GET /push/events` what
 * changes. Times are ms since 1970 by the clock of this machine.
 */
import type { AgentStatus, PaneInfo } from '../herdr/index.ts';
import type { Capability } from './actions.ts';

export interface PushAgent {
  /** Herdr's own name of its terminal: another one in each life of the server. */
  terminal_id: string;
  name: string | null;
  /** Its kind: `claude`, `pi`. */
  agent: string | null;
  pane: string;
  status: AgentStatus;
  workspace: string;
  cwd: string | null;
  /** When this runtime first saw it. */
  started_at: number;
  /** When its status last changed in the eyes of this runtime. */
  last_activity_at: number;
  terminal_title: string | null;
  /** Herdr's `state_change_seq`: it grows with every change of state, also with one that nobody saw. */
  seq: number | null;
}

export interface PushWorkspace {
  id: string;
  label: string;
  /** Project roots that are open in it, deepest first. */
  roots: readonly string[];
  panes: readonly string[];
}

/**
 * A pane as Herdr gives it, without what moves by itself (its revision counter, its scroll position), and with what acting
 * on exactly this pane needs.
 */
export type PushPane = Omit<PaneInfo, 'revision' | 'scroll'> & {
  /** Name of the agent inside; null: it has none, or there is no agent. */
  name: string | null;
  /** When the status last changed; null: no agent. */
  since: number | null;
  /** Names what is in the pane now (`btr1_…`): an action is carried out only while it still does. */
  target_revision: string;
  control_capabilities: readonly Capability[];
};

export interface HerdrState {
  state: 'live' | 'stale' | 'unknown';
  problem: string | null;
  /** Key of the Herdr server that the ids are of; null while none is known. Another server has other things under the same ids. */
  server: string | null;
}

/** The last line that a pane shows. */
export interface PaneLine {
  pane: string;
  line: string;
  at: number;
}

export interface PushState {
  boot_id: string;
  /** The number of the last event that this state contains. */
  state_seq: number;
  server_time: number;
  herdr: HerdrState;
  agents: readonly PushAgent[];
  workspaces: readonly PushWorkspace[];
  panes: readonly PushPane[];
  /** Of the panes that somebody looks at; see {@link WatchRequest}. */
  lines: readonly PaneLine[];
}

/** The one event without a number: it is about this moment, and nobody who comes back wants it. Its data is `{lines}`. */
export const LINES_EVENT = 'pane_lines';
