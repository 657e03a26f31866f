/**
 * Ending a session: SIGTERM to its process group, SIGKILL after a grace, and then the truth about what still runs. What
 * left the group on purpose is listed, not killed.
 */
import { systemCode } from '../../local/error/index.ts';
import { readText, sessionPath } from './folder.ts';
import { KILL_GRACE_MS, KILL_POLL_MS, KILL_SETTLE_MS } from './limits.ts';
import { isWrapper, type MarkedProcess, markedProcesses, type Survivor, withPorts } from './processes.ts';

export interface Ending {
  /** Whether anything was running when we came. */
  signalled: boolean;
  /** Whether SIGKILL was needed. */
  forced: boolean;
  survivors: Survivor[];
}

/** Sends the signals and waits until the group is empty, at most the grace and a moment. */
export async function endSession(base: string, id: string): Promise<Ending> {
  const group = await groupOf(base, id);
  const members = () => groupMembers(group, id);
  if (members().length === 0) return { signalled: false, forced: false, survivors: withPorts(markedProcesses(id)) };
  signalGroup(group, 'SIGTERM');
  let forced = false;
  if (!(await emptied(members, KILL_GRACE_MS))) {
    forced = true;
    signalGroup(group, 'SIGKILL');
    await emptied(members, KILL_SETTLE_MS);
  }
  return { signalled: true, forced, survivors: withPorts(markedProcesses(id)) };
}

/** The wrapper's pid is its group. A command that was started this very moment has not written it yet. */
async function groupOf(base: string, id: string): Promise<number> {
  const until = performance.now() + KILL_GRACE_MS;
  for (;;) {
    const text = readText(sessionPath(base, id, 'pid'));
    if (text?.endsWith('\n') === true || performance.now() >= until || markedProcesses(id).length === 0)
      return Number(text);
    await new Promise((resolve) => setTimeout(resolve, KILL_POLL_MS));
  }
}

/** Marked processes of the group; the mark is what proves that a number was not reused by strangers. */
function groupMembers(group: number, id: string): MarkedProcess[] {
  if (!Number.isInteger(group) || group <= 1) return [];
  const members = markedProcesses(id).filter((each) => each.group === group);
  if (members.length > 0 || !isWrapper(group, id)) return members;
  return [{ pid: group, group, command: '' }];
}

async function emptied(members: () => readonly MarkedProcess[], patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    if (members().length === 0) return true;
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, KILL_POLL_MS));
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}
