import { readOptions } from '../local/arguments/index.ts';
import { LocalError } from '../local/error/index.ts';
import { createLog } from '../local/log/index.ts';
import { type EmbeddedHerdr, SocketRefused, startEmbeddedHerdr } from './index.ts';
import { PARENT_CHECK_MS } from './limits.ts';

/** Process entry: `--socket PATH --state-dir DIR [--shell FILE] [--bin FILE] [--parent-pid N]`. */
const USAGE = 'usage: embedded-herdr --socket PATH --state-dir DIR [--shell FILE] [--bin FILE] [--parent-pid N]';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

function options(): { socket: string; stateDir: string; shell?: string; bin?: string; parent?: number } | undefined {
  const text = { type: 'string' } as const;
  const values = readOptions({ socket: text, 'state-dir': text, shell: text, bin: text, 'parent-pid': text });
  if (values === undefined) return undefined;
  const { socket, 'state-dir': stateDir, shell, bin, 'parent-pid': parent } = values;
  if (socket === undefined || stateDir === undefined) return undefined;
  if (parent !== undefined && !/^[1-9]\d*$/.test(parent)) return undefined;
  return {
    socket,
    stateDir,
    ...(shell === undefined ? {} : { shell }),
    ...(bin === undefined ? {} : { bin }),
    ...(parent === undefined ? {} : { parent: Number(parent) }),
  };
}

/** Ends the server when the process that started it is gone: nobody would be left to end it. */
function followParent(pid: number, server: EmbeddedHerdr): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(timer);
    void server.close();
  }, PARENT_CHECK_MS);
  void server.closed.then(() => clearInterval(timer));
}

async function main(): Promise<number> {
  const given = options();
  if (!given) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const log = createLog({ name: 'embedded-herdr' });
  // Installed first: a signal that comes while it starts ends it as cleanly as a later one.
  const told = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  let server: EmbeddedHerdr;
  try {
    server = await startEmbeddedHerdr({
      socketPath: given.socket,
      stateDir: given.stateDir,
      ...(given.shell === undefined ? {} : { shell: given.shell }),
      ...(given.bin === undefined ? {} : { binPath: given.bin }),
      log,
    });
  } catch (error) {
    if (!(error instanceof SocketRefused || error instanceof LocalError)) throw error;
    process.stderr.write(`${error instanceof LocalError ? error.sentence : error.message}\n`);
    return 1;
  }
  if (given.parent !== undefined) followParent(given.parent, server);
  process.stdout.write(`${JSON.stringify({ ready: true, socket: server.socketPath })}\n`);
  await Promise.race([told, server.closed]);
  await server.close();
  return 0;
}

process.exitCode = await main();
