/**
 * Runs the whole product on this machine for one state folder: edge in workerd, Herdr, runtime generation A, link. With a
 * deployed edge everything but the edge.
 *
 * Decided once here: nothing starts before every file was looked at, and a deployed edge has taken us in; the edge, Herdr
 * and the runtime start side by side, the link last; when any of them fails or ends, all end; ending is idempotent and leaves no process, because each
 * child leads a process group, and each ends by itself when this process is gone.
 */
import { join } from 'node:path';
import { type Device, readDevice } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { readPointer, writePointer } from '../../runtime-a-b/generations/index.ts';
import { DIST, ROOT } from '../build/index.ts';
import { checkState } from './checks.ts';
import { type Child, startChild } from './child.ts';
import { type DeployedEdge, joinDeployed } from './deployed.ts';
import { type LocalEdge, startEdge } from './edge.ts';
import { withoutNpm } from './environment.ts';
import { type FoundHerdr, type OpenWorkspace, openWorkspace, realHerdr } from './herdr.ts';
import { EDGE_PORT, LINK_STOP_MS, STOP_MS } from './limits.ts';
import { ensurePaired, requireOwnEdge } from './pairing.ts';
import { edgePort } from './ports.ts';
import { endSessions } from './sessions.ts';

export { askCredential } from './ask.ts';
export { whenAsked } from './asked.ts';
export { readOptions, USAGE } from './options.ts';
export { repositoryOf } from './repository.ts';
export { runningSentences } from './words.ts';

export interface StartOptions {
  stateDir: string;
  /** Root of the Git repository on which a workspace is opened. */
  repository: string;
  /** The edge's port by number; else the one of before; the first time 8787 or the next free one. */
  port?: number;
  /** An edge that runs elsewhere; none is started here then. */
  deployed?: DeployedEdge;
  /** Also when a real Herdr answers: for tests, which must not touch a person's. */
  embeddedHerdr?: boolean;
  env?: NodeJS.ProcessEnv;
  say?: (line: string) => void;
}

export interface Product {
  device: Device;
  mcpUrl: string;
  herdr: FoundHerdr & { embedded: boolean };
  workspace: OpenWorkspace;
  runtimePort: number;
  /** Name → pid, for tests that end one of them. */
  pids: Record<string, number>;
  /** Resolves with a sentence when a process ended by itself; everything else is ended then too. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts everything and resolves when a call from the edge would arrive. Throws a `LocalError`; nothing is left then. */
export async function startProduct(options: StartOptions): Promise<Product> {
  const { repository, say = () => undefined } = options;
  const paths = statePaths(ensurePrivateDir(options.stateDir));
  const lock = acquireLock(paths.startLock, 'start');
  if (!lock.held) throw await alreadyRunning(paths.dir, lock.by.pid);
  const stack = new Stack(paths.exec, () => lock.release());
  try {
    await checkState(paths.dir);
    ensurePrivateDir(paths.logs);
    const env: NodeJS.ProcessEnv = {
      ...withoutNpm(options.env ?? process.env, ROOT),
      HERDR_MCP_STATE_DIR: paths.dir,
      HERDR_MCP_SECRETS: 'file', // a clone never touches the person's keychain
    };
    process.env['HERDR_MCP_SECRETS'] = 'file';
    const start = (name: string, script: string, args: readonly string[], mark: string) =>
      startChild({
        name,
        program: process.execPath,
        args: [join(DIST, script), ...args, '--parent-pid', String(process.pid)],
        env,
        cwd: ROOT,
        log: join(paths.logs, `${name}.log`),
        isReady: (line) => line.includes(mark),
      }).then((child) => stack.add(child));

    const before = await readDevice(paths.dir);
    if (before && !options.deployed) await requireOwnEdge(paths.dir, before);
    const joined = options.deployed && (await joinDeployed(paths.dir, options.deployed, env));
    const place = joined ?? (await choosePort(options.port, before, say)); // before anything runs
    const [edge, herdr] = await both<Device | LocalEdge, FoundHerdr & { embedded: boolean }>(
      typeof place === 'number'
        ? startEdge({ stateDir: paths.dir, port: place }).then((started) => stack.addEdge(started))
        : place,
      bringHerdr(options, env, start, paths.herdrSocket, paths.herdrState, say),
    );
    const runtime = await start(
      'runtime',
      'runtime.js',
      ['--port', '0', '--generation', 'a', '--state-dir', paths.dir, '--herdr-socket', herdr.socket],
      '"ready":true',
    );
    const runtimePort = (JSON.parse(runtime.ready) as { port: number }).port;
    const pointer = await readPointer(paths.dir);
    await writePointer(paths.dir, {
      schema: 1,
      generation: 'a',
      port: runtimePort,
      revision: (pointer?.revision ?? 0) + 1,
    });
    const device = 'workerd' in edge ? await ensurePaired(paths.dir, edge) : edge;
    const [workspace] = await both(
      openWorkspace(herdr.socket, repository),
      start('link', 'herdr-link.js', ['--state-dir', paths.dir], '"connected"'),
    );
    return {
      device,
      mcpUrl: device.mcp_url,
      herdr,
      workspace,
      runtimePort,
      pids: stack.pids(),
      failed: stack.firstEnd().then(async (why) => {
        await stack.stop();
        return why;
      }),
      stop: () => stack.stop(),
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

type StartProcess = (name: string, script: string, args: readonly string[], mark: string) => Promise<Child>;

async function choosePort(
  asked: number | undefined,
  before: Device | undefined,
  say: (line: string) => void,
): Promise<number> {
  const port = await edgePort(asked, before && Number(new URL(before.edge_origin).port || 80));
  const moved = asked === undefined && before === undefined && port !== EDGE_PORT;
  if (moved) say(`Port ${EDGE_PORT} is in use by another program, so this clone has port ${port} from now on.`);
  return port;
}

async function bringHerdr(
  options: StartOptions,
  env: NodeJS.ProcessEnv,
  start: StartProcess,
  socket: string,
  state: string,
  say: (line: string) => void,
): Promise<FoundHerdr & { embedded: boolean }> {
  const real = options.embeddedHerdr ? undefined : await realHerdr(env, say);
  if (real) return { ...real, embedded: false };
  ensurePrivateDir(state);
  const args = ['--socket', socket, '--state-dir', state, '--bin', join(DIST, 'herdr-mcp.js')];
  await start('embedded-herdr', 'embedded-herdr.js', args, '"ready":true');
  const found = await realHerdr({ HERDR_SOCKET_PATH: socket }, say);
  if (!found) throw new LocalError('herdr_failed', 'The embedded Herdr started and does not answer.', 'See its log.');
  return { ...found, embedded: true };
}

async function alreadyRunning(stateDir: string, pid: number): Promise<LocalError> {
  const device = await readDevice(stateDir).catch(() => undefined); // only to name the address
  const where = device ? ` at ${device.mcp_url}` : '';
  return new LocalError(
    'already_running',
    `npm start already runs in this clone (process ${pid})${where}.`,
    'Use that one, or end it with Ctrl-C where it runs; nothing was started.',
  );
}

/** Waits for both, so that nothing is still starting when the first failure is told. */
async function both<A, B>(one: A | Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** Everything that runs, ended once and in order: the link first, so that what still runs is answered. */
class Stack {
  readonly #children: Child[] = [];
  readonly #sessions: string;
  readonly #released: () => void;
  #edge: LocalEdge | undefined;
  #edgeEnded: Promise<string> = new Promise(() => undefined);
  #stopping: Promise<void> | undefined;

  constructor(sessions: string, released: () => void) {
    this.#sessions = sessions;
    this.#released = released;
  }

  add(child: Child): Child {
    this.#children.push(child);
    return child;
  }

  addEdge(edge: LocalEdge): LocalEdge {
    this.#edge = edge;
    const { process: child } = edge.workerd;
    this.#edgeEnded = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(`edge ended with ${signal ?? `code ${code}`}`));
    });
    return edge;
  }

  pids(): Record<string, number> {
    const edge = this.#edge?.workerd.process.pid;
    return {
      ...Object.fromEntries(this.#children.map(({ name, pid }) => [name, pid])),
      ...(edge === undefined ? {} : { edge }),
    };
  }

  firstEnd(): Promise<string> {
    return Promise.race([this.#edgeEnded, ...this.#children.map(({ ended }) => ended)]);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const isLink = ({ name }: Child) => name === 'link';
    await Promise.all(this.#children.filter(isLink).map((child) => child.end(LINK_STOP_MS)));
    await Promise.all([
      ...this.#children.filter((child) => !isLink(child)).map((child) => child.end(STOP_MS)),
      this.#edge?.workerd.close(),
    ]);
    await endSessions(this.#sessions); // last: now nobody starts another
    this.#released();
  }
}
