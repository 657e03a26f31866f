import type { HerdrErrorCode, HerdrMethod, HerdrParams, HerdrResults } from '../../contract/herdr/index.ts';
import type { Git } from '../git/index.ts';
import type { Pane, Session, Tab, Workspace } from '../session/index.ts';
import { agentTarget, focusedPane, tabOf, workspaceOf } from '../session/index.ts';
import type { Answer, Ears } from '../socket/index.ts';

/** A refusal with its wire code; the message is for people and names the thing. */
export class CallError extends Error {
  readonly code: HerdrErrorCode;
  constructor(code: HerdrErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The caller left while its call waited: nobody is there to be answered. */
export class CallerGone extends Error {}

/** What a handler has besides its parameters. */
export interface Call {
  session: Session;
  ears: Ears;
  /** Ends the whole server; called after the answer is out. */
  stopServer(): void;
  git: Git;
}

/** A result alone, or one with something that follows it. */
export type Given<R> = R | { result: R; stream?: NonNullable<Answer['stream']>; afterwards?: () => void };

export type Handler<M extends HerdrMethod> = (
  params: HerdrParams[M],
  call: Call,
) => Given<HerdrResults[M]> | Promise<Given<HerdrResults[M]>>;

export type Handlers = { [M in HerdrMethod]: Handler<M> };

export function workspaceNamed(session: Session, id: string): Workspace {
  const workspace = workspaceOf(session, id);
  if (!workspace) throw new CallError('workspace_not_found', `there is no workspace ${id}`);
  return workspace;
}

export function tabNamed(session: Session, id: string): Tab {
  const tab = tabOf(session, id);
  if (!tab) throw new CallError('tab_not_found', `there is no tab ${id}`);
  return tab;
}

export function paneNamed(session: Session, id: string): Pane {
  const pane = session.panes.get(id);
  if (!pane) throw new CallError('pane_not_found', `there is no pane ${id}`);
  return pane;
}

/** The named pane, or the one with the focus when none is named. */
export function paneOrFocused(session: Session, id: string | null | undefined): Pane {
  if (id !== undefined && id !== null) return paneNamed(session, id);
  const pane = focusedPane(session);
  if (!pane) throw new CallError('pane_not_found', 'no pane has the focus: the session is empty');
  return pane;
}

export function workspaceOrActive(session: Session, id: string | null | undefined): Workspace {
  if (id !== undefined && id !== null) return workspaceNamed(session, id);
  const { activeWorkspace } = session;
  if (activeWorkspace === undefined) throw new CallError('workspace_not_found', 'there is no active workspace');
  return workspaceNamed(session, activeWorkspace);
}

/** The pane of an agent target, or `agent_not_found`. */
export function agentNamed(session: Session, target: string): Pane {
  const pane = agentTarget(session, target);
  if (!pane) throw new CallError('agent_not_found', `no agent is called ${target}, and no pane of that id hosts one`);
  return pane;
}
