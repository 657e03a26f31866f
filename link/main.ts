/**
 * The link process: `--state-dir DIR [--parent-pid N]`.
 *
 * Prints one JSON line to stdout when it is connected, which means that a round trip through the edge's object
 * succeeded; everything else is in the log (stderr) and in `link-status.json`. SIGTERM and SIGINT drain and end it,
 * SIGUSR2 ends any wait. It ends with 0 after a stop, 2 when it could not start, 3 when its device was revoked, so that
 * whoever supervises it does not start a revoked link again.
 */
import { readOptions } from '../local/arguments/index.ts';
import { LocalError } from '../local/error/index.ts';
import { createLog } from '../local/log/index.ts';
import { resolveStateDir } from '../local/paths/index.ts';
import { requireNode } from '../local/version/index.ts';
import { CLOSE_MS_MAX, WAKE_CHECK_MS } from './limits.ts';
import { startLink } from './run.ts';

const USAGE = 'usage: herdr-link [--state-dir DIR] [--parent-pid N]';

const EXIT = { stopped: 0, cannot_start: 2, revoked: 3 } as const;

async function main(): Promise<number> {
  requireNode();
  const values = readOptions({ 'state-dir': { type: 'string' }, 'parent-pid': { type: 'string' } });
  if (values === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return EXIT.cannot_start;
  }
  const parent = values['parent-pid'] === undefined ? undefined : Number(values['parent-pid']);
  if (parent !== undefined && !(Number.isInteger(parent) && parent > 0)) {
    throw new LocalError('argument_invalid', '--parent-pid must be the number of a process.', 'Nothing was started.');
  }
  const log = createLog({ name: 'link' });
  let printed = false;
  let asked: 'stop' | 'retry' | undefined;
  // A signal that comes before the link exists is obeyed when it does; without a listener SIGUSR2 would kill us.
  let on = (what: 'stop' | 'retry'): void => {
    asked = asked === 'stop' ? 'stop' : what;
  };
  process.on('SIGTERM', () => on('stop'));
  process.on('SIGINT', () => on('stop'));
  process.on('SIGUSR2', () => on('retry'));
  const link = await startLink({
    stateDir: values['state-dir'] ?? resolveStateDir(process.env),
    log,
    environment: process.env,
    changed: (status) => {
      if (status.state !== 'connected' || printed) return;
      printed = true;
      const { device_id, edge_origin, pid } = status;
      process.stdout.write(`${JSON.stringify({ event: 'connected', device_id, edge_origin, pid })}\n`);
    },
  });
  on = (what) => void (what === 'stop' ? link.stop() : link.retry());
  if (asked !== undefined) on(asked);
  if (parent !== undefined) watchParent(parent, () => on('stop'));
  return EXIT[await link.ended];
}

/** Ends with its parent: a supervisor that was killed cannot tell anybody. */
function watchParent(pid: number, gone: () => void): void {
  const timer = setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') return;
      clearInterval(timer);
      gone();
    }
  }, WAKE_CHECK_MS);
  timer.unref();
}

main().then(
  (code) => {
    process.exitCode = code;
    // The goodbye may still be on its way; nothing else may keep the process.
    setTimeout(() => process.exit(), 2 * CLOSE_MS_MAX).unref();
  },
  (error: unknown) => {
    if (!(error instanceof LocalError)) throw error;
    process.stderr.write(`${error.sentence}\n`);
    process.exitCode = EXIT.cannot_start;
  },
);
