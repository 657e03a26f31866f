import type { ProcessTable } from './table.ts';

/** What ending needs of the world; `signal` never throws for a process that is already gone. */
export interface EndSessionPorts {
  processes: ProcessTable;
  signal(pid: number, signal: NodeJS.Signals): void;
  sleep(ms: number): Promise<void>;
}

/** Sends a signal; a process that is gone already is what was wanted, any other refusal is thrown. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // EPERM: a setuid child of the pane; nobody but root can end it, and its terminal is gone anyway.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/**
 * Ends every process of a terminal session: HUP, then TERM, then KILL, `stepMs` apart, each to whoever is still there.
 * Members that lose their leader on the way are remembered, since a session cannot be asked for without it.
 */
export async function endSession(leader: number, stepMs: number, ports: EndSessionPorts): Promise<void> {
  const known = new Set<number>([leader]);
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGKILL'] as const) {
    await ports.processes.refresh();
    for (const pid of ports.processes.session(leader)) known.add(pid);
    const living = [...known].filter((pid) => ports.processes.isAlive(pid));
    if (living.length === 0) return;
    for (const pid of living) {
      ports.signal(pid, signal);
      // A stopped process takes no signal but KILL until it goes on.
      if (signal !== 'SIGKILL') ports.signal(pid, 'SIGCONT');
    }
    if (signal !== 'SIGKILL') await ports.sleep(stepMs);
  }
}
