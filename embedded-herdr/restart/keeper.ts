import { join } from 'node:path';
import { readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import { SAVE_AFTER_MS, SAVE_EVERY_MS } from '../limits.ts';
import { restoreWorkspace, type Session, type WorkspaceToRestore } from '../session/index.ts';
import { layoutOf, parseSaved, type Saved, savedOf } from './saved.ts';

const fileIn = (stateDir: string): string => join(stateDir, 'embedded-herdr.json');

/**
 * Opens the workspaces of the last run again: same ids, labels, layout and directories, with new shells and new
 * terminals. What ran in them is gone, and the log says so. A file that cannot be understood is left for a person to
 * see, and nothing is opened.
 */
export async function restoreSession(session: Session, stateDir: string): Promise<void> {
  const { log } = session.ports;
  const file = fileIn(stateDir);
  let text: string | undefined;
  try {
    text = (await readPrivateFile(file))?.toString('utf8');
  } catch (error) {
    log.warn({ file, error }, 'the workspaces of the last run cannot be read; starting without them');
    return;
  }
  if (text === undefined) return;
  const saved = parseSaved(text);
  if (!saved) {
    log.warn({ file }, 'the file with the workspaces of the last run is damaged; starting without them');
    return;
  }
  session.nextWorkspace = saved.next_workspace;
  for (const workspace of saved.workspaces) {
    const lost = restoreWorkspace(session, toRestore(workspace));
    for (const pane of lost)
      log.warn({ ...pane }, 'the directory of a restored pane is gone; its shell starts at home');
  }
  const active = saved.active_workspace;
  if (session.workspaces.some((workspace) => workspace.id === active)) session.activeWorkspace = active;
  else session.activeWorkspace = session.workspaces[0]?.id;
  log.info(
    { workspaces: session.workspaces.length, panes: session.panes.size },
    'the workspaces of the last run are open again with new shells; the processes that ran in them did not come back',
  );
}

function toRestore(workspace: Saved['workspaces'][number]): WorkspaceToRestore {
  return {
    id: workspace.id,
    number: workspace.number,
    label: workspace.label,
    nextTab: workspace.next_tab,
    nextPane: workspace.next_pane,
    activeTab: workspace.active_tab,
    worktree: workspace.worktree,
    tabs: workspace.tabs.map((tab) => ({
      number: tab.number,
      label: tab.label,
      focusedPane: tab.focused_pane,
      panes: tab.panes.map(({ number, label, cwd }) => ({ number, label, cwd })),
      layoutFor: (paneIds) => layoutOf(tab, paneIds),
    })),
  };
}

export interface Keeper {
  /** Keeps the last state and stops. */
  stop(): Promise<void>;
}

/**
 * Keeps the session's shape in a file: shortly after every change, now and then for directories (they change without an
 * event), and at the end. A failing disk is logged once per change and never ends the server.
 */
export function keepSession(session: Session, stateDir: string): Keeper {
  const file = fileIn(stateDir);
  let kept = '';
  let soon: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const save = (): void => {
    soon = undefined;
    const text = JSON.stringify(savedOf(session));
    if (text === kept) return;
    kept = text;
    writing = writing
      .then(() => writeAtomic(file, text))
      .catch((error: unknown) => {
        kept = '';
        session.ports.log.warn({ file, error }, 'the workspaces could not be kept for a restart');
      });
  };
  const off = session.ports.ring.follow(() => {
    soon ??= setTimeout(save, SAVE_AFTER_MS);
  });
  const regularly = setInterval(save, SAVE_EVERY_MS);
  return {
    async stop() {
      off();
      clearTimeout(soon);
      clearInterval(regularly);
      save();
      await writing;
    },
  };
}
