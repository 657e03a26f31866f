import { PROTOCOL, VERSION } from '../limits.ts';

/** Inherited variables that would tell a pane's programs something untrue about where they run. */
const NOT_INHERITED = new Set([
  ...['CODEX_THREAD_ID', 'HERDR_AGENT', 'TMUX', 'TMUX_PANE', 'STY', 'WINDOW', 'WINDOWID', 'TERMCAP'],
  ...['COLUMNS', 'LINES', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION'],
]);

/** Whether a caller's variables can be set at all: names non-empty without `=` or NUL, values without NUL. */
export function isSettableEnv(env: Readonly<Record<string, string>>): boolean {
  return Object.entries(env).every(([name, value]) => name !== '' && !/[=\0]/.test(name) && !value.includes('\0'));
}

export interface PanePlace {
  socketPath: string;
  binPath: string;
  workspaceId: string;
  tabId: string;
  paneId: string;
}

/**
 * The environment of a pane's process: what is inherited, the terminal's kind, the caller's variables, and last the
 * ones that name the pane, which nobody can override. Source: reference/herdr-protocol.md 7.5.
 */
export function paneEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
  place: PanePlace,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && !NOT_INHERITED.has(name)) env[name] = value;
  }
  return {
    ...env,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...given,
    HERDR_ENV: '1',
    HERDR_SOCKET_PATH: place.socketPath,
    HERDR_BIN_PATH: place.binPath,
    HERDR_WORKSPACE_ID: place.workspaceId,
    HERDR_TAB_ID: place.tabId,
    HERDR_PANE_ID: place.paneId,
  };
}

/** What this server says of itself. */
export const IDENTITY = { version: VERSION, protocol: PROTOCOL } as const;
