/** `herdr-mcp link run`: the link's own program beside this one, in the foreground, with its log on this terminal. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Runs the link until it ends and gives its exit code; signals to us are signals to it, so that it drains. */
export function runLink(stateDir: string): Promise<number> {
  const program = join(import.meta.dirname, 'herdr-link.js');
  const args = [program, '--state-dir', stateDir, '--parent-pid', String(process.pid)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  // Ctrl-C at a terminal reaches both of us by itself; the link takes a second one for the same wish.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGUSR2'] as const) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
