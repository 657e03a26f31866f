import { NO_AGENT } from '../agents/index.ts';
import { strippedTitle } from '../terminal/index.ts';
import { cwdOf, foregroundCwdOf } from './describe.ts';
import { paneEnvironment } from './environment.ts';
import { paneId } from './ids.ts';
import type { Pane, Workspace } from './model.ts';
import { paneUpdated } from './occupant.ts';
import { removePane } from './remove.ts';
import { focusedPane, type Session } from './session.ts';

export interface Place {
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  label?: string | undefined;
  focus?: boolean | undefined;
}

/** Why a pane could not be opened: it names the directory or what the system said. Nothing was created. */
export class CannotOpen extends Error {}

/** Where a new pane starts without being told: where the focus is, else at home. */
export function startingCwd(session: Session, place: Place, beside: Pane | undefined): string {
  const from = beside ?? focusedPane(session);
  const cwd = place.cwd ?? (from && (foregroundCwdOf(session, from) ?? cwdOf(session, from))) ?? session.ports.home;
  if (!session.ports.isDirectory(cwd)) {
    throw new CannotOpen(`${cwd} is not a directory that can be entered; nothing was opened`);
  }
  return cwd;
}

interface NewPane {
  workspace: Workspace;
  tabId: string;
  number: number;
  cwd: string;
  env: Readonly<Record<string, string>>;
  label?: string | undefined;
}

export function openPane(session: Session, spec: NewPane): Pane {
  const { ports } = session;
  const id = paneId(spec.workspace.id, spec.number);
  const env = paneEnvironment(ports.inheritedEnv, spec.env, {
    socketPath: ports.socketPath,
    binPath: ports.binPath,
    workspaceId: spec.workspace.id,
    tabId: spec.tabId,
    paneId: id,
  });
  const here = (): Pane | undefined => {
    const current = session.panes.get(id);
    return current === pane ? current : undefined;
  };
  let pane: Pane | undefined;
  let terminal: Pane['terminal'];
  try {
    terminal = ports.openTerminal(
      { file: ports.shell.file, args: ports.shell.args, cwd: spec.cwd, env },
      {
        onOutput: () => {
          const current = here();
          if (current) session.signals.output.emit(current);
        },
        onTitle: (title) => {
          const current = here();
          const stripped = strippedTitle(title);
          if (!current || current.strippedTitle === stripped) return;
          current.strippedTitle = stripped;
          current.revision += 1;
          paneUpdated(session, current);
        },
        onExit: (exit) => {
          ports.log.info({ pane: id, ...exit }, 'the shell of a pane has ended');
          const current = here();
          if (current) removePane(session, current, 'exited');
        },
      },
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CannotOpen(`${ports.shell.file} could not be started in ${spec.cwd}: ${why}`);
  }
  pane = {
    id,
    number: spec.number,
    workspaceId: spec.workspace.id,
    tabId: spec.tabId,
    terminalId: `term_${ports.randomHex()}`,
    launchCwd: spec.cwd,
    terminal,
    label: spec.label,
    track: NO_AGENT,
    name: undefined,
    launch: undefined,
    seen: true,
    stateChangeSeq: 0,
    revision: 0,
    strippedTitle: '',
    presentation: { title: undefined, displayAgent: undefined, stateLabels: {}, tokens: {} },
    sequences: new Map(),
    foreground: undefined,
  };
  session.panes.set(id, pane);
  spec.workspace.nextPane = Math.max(spec.workspace.nextPane, spec.number + 1);
  return pane;
}
