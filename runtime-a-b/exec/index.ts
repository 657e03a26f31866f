/**
 * Commands that outlive the runtime which started them.
 *
 * A command's streams are files that it holds itself, it leads its own process group, and a small wrapper writes down how
 * it ended. So nothing here is needed for it to go on: any generation finds, reads, waits for and ends any session by its
 * folder under `<state>/exec/`. What this does not do: it is no sandbox, and it never restarts anything.
 */

export type { LoginFacts } from './environment/index.ts';
export {
  createExec,
  type Exec,
  type ExecOptions,
  type Killed,
  type SessionSummary,
  type StartRequest,
} from './exec.ts';
export type { Done } from './folder.ts';
export { sessionPrefix } from './ids.ts';
export { EXEC_WAIT_MS, READ_BYTES } from './limits.ts';
export type { OutputPage, View } from './output.ts';
export type { PaneDoor } from './pane.ts';
export type { Survivor } from './processes.ts';
export type { SessionState } from './state.ts';
