/** Real commands under a state folder of their own; nothing outlives the test. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLog } from '../../../local/log/index.ts';
import { createExec, type Exec, type ExecOptions } from '../../../runtime-a-b/exec/index.ts';
import { markedProcesses } from '../../../runtime-a-b/exec/processes.ts';

export const quiet = createLog({ name: 'test', level: 'silent' });
export const never = new AbortController().signal;

export interface Place {
  stateDir: string;
  cwd: string;
  /** A generation on this state folder; its environment is the test's own. */
  open(more?: Partial<ExecOptions>): Exec;
  /** Remembers a session, so that whatever it left running is ended after the test. */
  track(id: string): string;
}

export function place(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hm-exec-')));
  const sessions: string[] = [];
  const opened: Exec[] = [];
  onTestFinished(async () => {
    for (const id of sessions) for (const { pid } of markedProcesses(id)) endProcess(pid);
    for (const exec of opened) await exec.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    stateDir: folder,
    cwd: folder,
    open(more = {}) {
      const exec = createExec({
        stateDir: folder,
        generation: 'a',
        bootId: 'boot_0123456789ab',
        nowMs: Date.now,
        log: quiet,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/bash' },
        login: { probe: async () => ({ ok: false, reason: 'no probe in this test', tookMs: 0 }) },
        ...more,
      });
      opened.push(exec);
      return exec;
    },
    track(id) {
      sessions.push(id);
      return id;
    },
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Looks again until the condition holds; fails after a time that no healthy machine needs. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs a command to its end and gives its state and whole output. */
export async function finish(exec: Exec, where: Place, command: string) {
  const { id } = await exec.start({ root: where.cwd, cwd: where.cwd, command });
  where.track(id);
  const state = await exec.wait(id, 20_000, never);
  const read = (view: 'stdout' | 'stderr' | 'both') => exec.read(id, view, 0, 1_000_000).text;
  return { id, state, done: state.done, stdout: read('stdout'), stderr: read('stderr'), both: read('both') };
}
