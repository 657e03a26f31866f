/**
 * Commands that a web AI started outlive the runtime on purpose, so that a promotion or a crash does not end them. Ctrl-C
 * at `npm start` ends the product, and them with it: nobody would be left to ask about them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listSessions, readDone } from '../../runtime-a-b/exec/folder.ts';
import { endSession } from '../../runtime-a-b/exec/kill.ts';
import { everyMarked, markedProcesses } from '../../runtime-a-b/exec/processes.ts';
import { STRAY_MS } from './limits.ts';

/** Ends every command of a state folder that still runs, also what it left in the background. Returns how many did. */
export async function endSessions(base: string): Promise<number> {
  const marked = everyMarked();
  const ids = listSessions(base).filter((id) => {
    if (!marked.has(id)) return false;
    const done = readDone(base, id);
    return done === undefined || done.background === true || done.lost === true;
  });
  const ended = await Promise.all(ids.map((id) => endOne(base, id)));
  return ended.filter(Boolean).length;
}

async function endOne(base: string, id: string): Promise<boolean> {
  const { signalled, survivors } = await endSession(base, id);
  if (survivors.length === 0) return signalled;
  strike(id, 'SIGTERM');
  await sleep(STRAY_MS);
  strike(id, 'SIGKILL');
  return true;
}

/** To each process that carries the session's mark, found anew: a pid may have changed hands since the last look. */
function strike(id: string, signal: NodeJS.Signals): void {
  for (const { pid } of markedProcesses(id)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
