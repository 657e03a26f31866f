/**
 * Ending a session: SIGTERM to its process group, SIGKILL after a grace, and then the truth about what still runs. What
 * left the group on purpose is listed, not killed.
 */
import { systemCode } from '../../local/error/index.ts';
import { KILL_AGAIN_MS, KILL_GRACE_MS, KILL_POLL_MS, KILL_SETTLE_MS, LOOKS_PER_SCAN, YOUNG_MS } from './limits.ts';
import { isWrapper, machineMs, markedProcesses, type Survivor, withPorts } from './processes.ts';
import { wrapperPid } from './state.ts';

export interface Ending {
  /** Whether anything was running when we came and could be told to end. */
  signalled: boolean;
  /** Whether SIGKILL was needed. */
  forced: boolean;
  survivors: Survivor[];
}

/** Sends the signals and waits until the group is empty, at most the grace and a moment. */
export async function endSession(base: string, id: string): Promise<Ending> {
  const group = wrapperPid(base, id);
  if (group === undefined || !hasMembers(group, id))
    return { signalled: false, forced: false, survivors: withPorts(markedProcesses(id)) };
  const termAtMs = machineMs();
  if (!signalGroup(group, 'SIGTERM'))
    return { signalled: false, forced: false, survivors: withPorts(markedProcesses(id)) };
  let forced = false;
  if (!(await emptied(group, id, KILL_AGAIN_MS))) againToTheYoung(group, id, termAtMs);
  if (!(await emptied(group, id, KILL_GRACE_MS - KILL_AGAIN_MS))) {
    forced = true;
    signalGroup(group, 'SIGKILL');
    await emptied(group, id, KILL_SETTLE_MS);
  }
  return { signalled: true, forced, survivors: withPorts(markedProcesses(id)) };
}

/**
 * A shell that has a trap catches the signal also in a child that it has forked and that is no program yet; the program
 * then never hears of it (seen with bash 5.2). Processes that had just been forked are told once more; others are not,
 * because a second signal means "at once" to many.
 */
function againToTheYoung(group: number, id: string, termAtMs: number | undefined): void {
  if (termAtMs === undefined) return;
  for (const { pid, group: own, startedMs } of markedProcesses(id)) {
    if (own !== group || pid === group || startedMs === undefined || startedMs < termAtMs - YOUNG_MS) continue;
    try {
      process.kill(pid, 'SIGTERM');
    } catch (error) {
      if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
    }
  }
}

/** Whether marked processes are in the group; the mark proves that its number was not reused by strangers. */
function hasMembers(group: number, id: string): boolean {
  if (group <= 1 || !groupExists(group)) return false;
  return isWrapper(group, id) || markedProcesses(id).some((each) => each.group === group);
}

/** Waits until the group is gone. While it exists it stays ours; only zombies, which it may end with, need a closer look. */
async function emptied(group: number, id: string, patienceMs: number): Promise<boolean> {
  const started = performance.now();
  for (let looks = 1; ; looks += 1) {
    if (!groupExists(group)) return true;
    const late = performance.now() - started >= patienceMs;
    if ((late || looks % LOOKS_PER_SCAN === 0) && !hasMembers(group, id)) return true;
    if (late) return false;
    await new Promise((resolve) => setTimeout(resolve, KILL_POLL_MS));
  }
}

/** Whether any process is in the group, zombies too. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** False when none of the group may be signalled by us: a terminal may run what we must not touch. */
function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EPERM') return false;
    if (systemCode(error) !== 'ESRCH') throw error;
    return true;
  }
}
