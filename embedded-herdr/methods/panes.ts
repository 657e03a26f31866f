import type { PaneReadResult, ReadFormat, ReadSource } from '../../contract/herdr/index.ts';
import { RATIO_EVEN } from '../limits.ts';
import {
  focusPane,
  layoutInfo,
  type Pane,
  paneInfo,
  panesInOrder,
  removePane,
  splitPaneOf,
  tabOf,
} from '../session/index.ts';
import { CallError, type Handlers, paneNamed, paneOrFocused, workspaceNamed } from './call.ts';
import { checkEnv, opening } from './workspaces.ts';

export interface ReadParams {
  source: ReadSource;
  lines?: number | null | undefined;
  format?: ReadFormat | undefined;
}

/** A read of a pane as it goes on the wire. */
export function readPane(pane: Pane, { source, lines, format = 'text' }: ReadParams): PaneReadResult {
  const { text, truncated } = pane.terminal.read(source, lines ?? undefined, format);
  return {
    pane_id: pane.id,
    workspace_id: pane.workspaceId,
    tab_id: pane.tabId,
    source,
    format,
    text,
    revision: 0,
    truncated,
  };
}

type Owned = 'pane.list' | 'pane.get' | 'pane.current' | 'pane.split' | 'pane.close' | 'pane.focus' | 'pane.rename';

export const paneMethods: Pick<Handlers, Owned | 'pane.layout' | 'pane.process_info' | 'pane.read'> = {
  'pane.list': ({ workspace_id }, { session }) => {
    const only =
      workspace_id === undefined || workspace_id === null ? undefined : workspaceNamed(session, workspace_id);
    return {
      type: 'pane_list',
      panes: panesInOrder(session)
        .filter((pane) => only === undefined || pane.workspaceId === only.id)
        .map((pane) => paneInfo(session, pane)),
    };
  },
  'pane.get': ({ pane_id }, { session }) => ({
    type: 'pane_info',
    pane: paneInfo(session, paneNamed(session, pane_id)),
  }),
  'pane.current': ({ caller_pane_id }, { session }) => ({
    type: 'pane_current',
    pane: paneInfo(session, paneOrFocused(session, caller_pane_id)),
  }),
  'pane.split': (params, { session }) => {
    checkEnv(params.env);
    const target =
      params.target_pane_id === undefined || params.target_pane_id === null
        ? paneOrFocused(session, params.workspace_id ? focusedIn(params.workspace_id) : undefined)
        : paneNamed(session, params.target_pane_id);
    function focusedIn(id: string): string {
      const workspace = workspaceNamed(session, id);
      return tabOf(session, workspace.activeTab)?.focusedPane ?? '';
    }
    const place = { cwd: params.cwd ?? undefined, focus: params.focus, env: params.env };
    const pane = opening('pane_split_failed', () =>
      splitPaneOf(session, target, params.direction, params.ratio ?? RATIO_EVEN, place),
    );
    return { type: 'pane_info', pane: paneInfo(session, pane) };
  },
  'pane.close': ({ pane_id }, { session }) => {
    removePane(session, paneNamed(session, pane_id), 'closed');
    return { type: 'ok' };
  },
  'pane.focus': ({ pane_id }, { session }) => {
    const pane = paneNamed(session, pane_id);
    focusPane(session, pane);
    return { type: 'pane_info', pane: paneInfo(session, pane) };
  },
  'pane.rename': ({ pane_id, label }, { session }) => {
    const pane = paneNamed(session, pane_id);
    pane.label = label || undefined;
    return { type: 'pane_info', pane: paneInfo(session, pane) };
  },
  'pane.layout': ({ pane_id }, { session }) => {
    const tab = tabOf(session, paneOrFocused(session, pane_id).tabId);
    if (!tab) throw new CallError('pane_layout_unavailable', 'the pane has no tab any more');
    return { type: 'pane_layout', layout: layoutInfo(tab) };
  },
  'pane.process_info': ({ pane_id }, { session }) => {
    const pane = paneOrFocused(session, pane_id);
    const { processes } = session.ports;
    const group = processes.foregroundGroup(pane.terminal.pid);
    const members = group === undefined ? [] : processes.group(group);
    return {
      type: 'pane_process_info',
      process_info: {
        pane_id: pane.id,
        shell_pid: pane.terminal.pid,
        ...(group === undefined ? {} : { foreground_process_group_id: group }),
        ...(members.length === 0
          ? {}
          : {
              foreground_processes: members.map(({ pid, name, argv }) => {
                const cwd = processes.cwd(pid);
                return {
                  pid,
                  name,
                  ...(argv[0] === undefined ? {} : { argv0: argv[0], argv: [...argv], cmdline: argv.join(' ') }),
                  ...(cwd === undefined ? {} : { cwd }),
                };
              }),
            }),
      },
    };
  },
  'pane.read': (params, { session }) => ({
    type: 'pane_read',
    read: readPane(paneNamed(session, params.pane_id), params),
  }),
};
