import type { AgentStatus } from '../../contract/herdr/index.ts';
import { type EventRing, type Signal, signal } from '../events/index.ts';
import type { ProcessTable } from '../processes/index.ts';
import type { PaneTerminal, TerminalEvents, TerminalSpec } from '../terminal/index.ts';
import type { Pane, Tab, Workspace } from './model.ts';

export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}

/** What a session needs of the world. */
export interface SessionPorts {
  processes: ProcessTable;
  openTerminal(spec: TerminalSpec, events: TerminalEvents): PaneTerminal;
  isDirectory(path: string): boolean;
  /** The Git checkout that a directory lies in. */
  checkoutOf(path: string): string | undefined;
  now(): number;
  /** Lower-case hex digits for terminal ids. */
  randomHex(): string;
  /** Ends every process of a terminal's session and settles when none is left or KILL was sent. */
  endSession(leader: number): Promise<void>;
  shell: { file: string; args: readonly string[] };
  inheritedEnv: Readonly<Record<string, string | undefined>>;
  home: string;
  socketPath: string;
  binPath: string;
  ring: EventRing;
  log: Log;
  /** Leaves out the events that a real Herdr leaves out when a tab or workspace ends with its last pane. */
  imitateGaps: boolean;
}

/** A public status that an agent has just reached. `exit`: the agent has left with it. */
export interface StatusMoment {
  pane: Pane;
  status: AgentStatus;
  exit: boolean;
}

/** One session: ordered workspaces, their tabs and panes, and one focus shared by everybody. */
export interface Session {
  readonly ports: SessionPorts;
  readonly workspaces: Workspace[];
  readonly panes: Map<string, Pane>;
  activeWorkspace: string | undefined;
  nextWorkspace: number;
  stateCounter: number;
  /** Terminations under way; the server waits for them before it ends. */
  readonly endings: Set<Promise<void>>;
  readonly signals: {
    status: Signal<StatusMoment>;
    /** What a pane shows of its agent may have changed. */
    shown: Signal<Pane>;
    output: Signal<Pane>;
    /** A pane is no longer in the session. */
    gone: Signal<Pane>;
  };
}

export function emptySession(ports: SessionPorts): Session {
  return {
    ports,
    workspaces: [],
    panes: new Map(),
    activeWorkspace: undefined,
    nextWorkspace: 1,
    stateCounter: 0,
    endings: new Set(),
    signals: { status: signal(), shown: signal(), output: signal(), gone: signal() },
  };
}

export const workspaceOf = (session: Session, id: string): Workspace | undefined =>
  session.workspaces.find((workspace) => workspace.id === id);

export function tabOf(session: Session, id: string): Tab | undefined {
  for (const workspace of session.workspaces) {
    const tab = workspace.tabs.find((candidate) => candidate.id === id);
    if (tab) return tab;
  }
  return undefined;
}

/** The panes of a tab in layout order. */
export function panesOf(session: Session, tab: Tab): Pane[] {
  return [...session.panes.values()].filter((pane) => pane.tabId === tab.id);
}

/** Whether this pane's tab is the one that is shown: the active tab of the active workspace. */
export function isShown(session: Session, pane: Pane): boolean {
  return (
    session.activeWorkspace === pane.workspaceId && workspaceOf(session, pane.workspaceId)?.activeTab === pane.tabId
  );
}

/** The one pane that has the focus. */
export function focusedPane(session: Session): Pane | undefined {
  const workspace = session.activeWorkspace === undefined ? undefined : workspaceOf(session, session.activeWorkspace);
  const tab = workspace?.tabs.find((candidate) => candidate.id === workspace.activeTab);
  return tab && session.panes.get(tab.focusedPane);
}
