/**
 * The processes behind the panes: who owns a terminal's foreground, which of them is an agent, and how all of them are
 * ended. Linux reads `/proc`; macOS asks `ps` and `lsof`.
 */
import { MACOS_CWD_MS, MACOS_LIST_MS, PROCESS_LIST_MS } from '../limits.ts';
import { linuxProcesses } from './linux.ts';
import { macosProcesses } from './macos.ts';
import type { ProcessTable } from './table.ts';

export { type EndSessionPorts, endSession, signalProcess } from './end-session.ts';
export { parseStat } from './linux.ts';
export { parseLsofCwd, parsePs } from './macos.ts';
export { isStartShell, recogniseAgent, scriptBehind } from './recognise.ts';
export type { ProcessFacts, ProcessTable } from './table.ts';

/** The process table of this system. */
export function systemProcesses(platform: NodeJS.Platform, now: () => number): ProcessTable {
  return platform === 'darwin'
    ? macosProcesses(now, MACOS_LIST_MS, MACOS_CWD_MS)
    : linuxProcesses(now, PROCESS_LIST_MS);
}
