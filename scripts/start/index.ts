/**
 * Runs the whole product on this machine for one state folder: edge in workerd, and under the same supervisor as
 * `herdr-mcp up` the rest: Herdr, runtime, link. With a deployed edge everything but the edge.
 *
 * Decided once here: nothing starts before every file was looked at, and a deployed edge has taken us in; the edge, Herdr
 * and the runtime start side by side, the link last; when any of them fails or ends, all end; ending is idempotent and leaves no process, because each
 * child leads a process group, and each ends by itself when this process is gone.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Device, readDevice } from '../../link/identity/index.ts';
import { readLinkStatus } from '../../link/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import {
  changeDesired,
  deleteRevision,
  herdrAt,
  listRevisions,
  readObserved,
  readRecord,
  type Supervisor,
  stageRevision,
  startSupervisor,
} from '../../runtime-a-b/generations/index.ts';
import { DIST, ROOT, readBuilt } from '../build/index.ts';
import { checkState } from './checks.ts';
import { type DeployedEdge, joinDeployed } from './deployed.ts';
import { type LocalEdge, startEdge } from './edge.ts';
import { withoutNpm } from './environment.ts';
import { openWorkspace } from './herdr.ts';
import { CONNECTED_LOOK_MS, EDGE_PORT, EDGE_STARTS, READY_MS_MAX } from './limits.ts';
import { ensurePaired, requireOwnEdge } from './pairing.ts';
import { edgePort } from './ports.ts';
import type { Product } from './product.ts';
import { endSessions } from './sessions.ts';

export { askCredential } from './ask.ts';
export { whenAsked } from './asked.ts';
export { readOptions, USAGE } from './options.ts';
export type { Product } from './product.ts';
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

/** Starts everything and resolves when a call from the edge would arrive. Throws a `LocalError`; nothing is left then. */
export async function startProduct(options: StartOptions): Promise<Product> {
  const { repository, say = () => undefined } = options;
  const paths = statePaths(ensurePrivateDir(options.stateDir));
  const env: NodeJS.ProcessEnv = {
    ...withoutNpm(options.env ?? process.env, ROOT),
    HERDR_MCP_STATE_DIR: paths.dir,
    HERDR_MCP_SECRETS: 'file', // a clone never touches the person's keychain
  };
  process.env['HERDR_MCP_SECRETS'] = 'file';
  let edge: Promise<LocalEdge> | undefined;
  let joined: Device | undefined;
  /** Under the supervisor's lock, before any process is started. */
  const prepare = async () => {
    await checkState(paths.dir);
    ensurePrivateDir(paths.logs);
    const before = await readDevice(paths.dir);
    if (before && !options.deployed) await requireOwnEdge(paths.dir, before);
    joined = options.deployed && (await joinDeployed(paths.dir, options.deployed, env));
    const port = joined === undefined ? await choosePort(options.port, before, say) : undefined;
    await stageClone(paths.dir);
    const isFirst = options.port === undefined && before === undefined;
    const another = isFirst ? () => choosePort(undefined, undefined, say) : undefined;
    edge = port === undefined ? undefined : startEdgeAt(paths.dir, port, another);
    edge?.catch(() => undefined); // heard below, once the supervisor stands
  };
  const supervisor = await startSupervisor({
    ...{ stateDir: paths.dir, env, ports: { a: 0, b: 0 }, together: true, bin: join(DIST, 'herdr-mcp.js') },
    ...(options.embeddedHerdr === undefined ? {} : { embeddedHerdr: options.embeddedHerdr }),
    tell: say,
    before: prepare,
  }).catch(async (error: unknown) => {
    await edge?.then(({ workerd }) => workerd.close());
    throw error instanceof LocalError && error.code === 'already_running' ? await alreadyRunning(paths.dir) : error;
  });
  const stop = stopOnce(supervisor, () => edge, paths.exec);
  try {
    const local = await edge;
    const device = joined ?? (await ensurePaired(paths.dir, local as LocalEdge));
    const edgeEnded = local === undefined ? new Promise<string>(() => undefined) : endOf(local);
    const up = supervisor.until(({ state }) => state === 'running').catch(() => failedStart(supervisor, paths.logs));
    await Promise.race([up, edgeEnded.then((why) => Promise.reject(startFailed(why, paths.logs)))]);
    const { herdr } = supervisor.observed();
    const found = await herdrAt(herdr?.socket ?? '');
    if (!herdr || !found) throw startFailed('Herdr does not answer.', paths.logs);
    const [workspace] = await Promise.all([openWorkspace(herdr.socket, repository), connected(paths.dir, supervisor)]);
    const serves = await readRecord(paths.dir, 'a');
    return {
      device,
      mcpUrl: device.mcp_url,
      herdr: { embedded: herdr.embedded, socket: herdr.socket, version: found.version },
      workspace,
      runtimePort: serves?.port ?? 0,
      pids: pidsOf(supervisor, local),
      failed: Promise.race([
        edgeEnded,
        supervisor.ended.then((why) => asNamed(why ?? 'herdr-mcp down or uninstall stopped it')),
      ]).then(async (why) => {
        await stop();
        return why;
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** This clone's build is the one that runs here; builds of before are not kept. */
async function stageClone(stateDir: string): Promise<void> {
  const { revision } = await readBuilt(() => stageRevision(stateDir, DIST));
  for (const { revision: old } of await listRevisions(stateDir))
    if (old !== revision) await deleteRevision(stateDir, old);
  await changeDesired(stateDir, ({ candidate: _, programs: __, ...now }) => ({
    ...now,
    running: true,
    active: revision,
  }));
}

/** Resolves when the link is connected, which means that a call would arrive. */
async function connected(stateDir: string, supervisor: Supervisor): Promise<void> {
  let over = false;
  supervisor.ended.then(
    () => (over = true),
    () => (over = true),
  );
  for (const end = Date.now() + READY_MS_MAX; !over; ) {
    const { running, status } = await readLinkStatus(stateDir);
    if (running && status?.state === 'connected' && status.pid === supervisor.pid('link')) return;
    if (Date.now() > end)
      throw startFailed(`link was not connected within ${READY_MS_MAX / 1000} s`, statePaths(stateDir).logs);
    await sleep(CONNECTED_LOOK_MS);
  }
  await failedStart(supervisor, statePaths(stateDir).logs);
}

async function failedStart(supervisor: Supervisor, logs: string): Promise<never> {
  throw startFailed(asNamed((await supervisor.ended) ?? 'It was ended.'), logs);
}

const startFailed = (why: string, logs: string) =>
  new LocalError('start_failed', why.endsWith('.') ? why : `${why}.`, `Its log is in ${logs}.`);

/** One runtime runs here, so its place needs no name. */
const asNamed = (why: string): string => why.replace(/^runtime-[ab] /, 'runtime ');

function endOf({ workerd }: LocalEdge): Promise<string> {
  return new Promise((resolve) => {
    workerd.process.once('exit', (code, signal) => resolve(`edge ended with ${signal ?? `code ${code}`}`));
  });
}

function pidsOf(supervisor: Supervisor, edge: LocalEdge | undefined): Record<string, number> {
  const named = { runtime: 'runtime-a', link: 'link', 'embedded-herdr': 'herdr' } as const;
  const pids = Object.entries(named).map(([name, child]) => [name, supervisor.pid(child)] as const);
  const all = [...pids, ['edge', edge?.workerd.process.pid] as const];
  return Object.fromEntries(all.filter((one): one is readonly [string, number] => one[1] !== undefined));
}

/** Link, runtime, Herdr in that order, then the edge, then what callers started: now nobody starts another. */
function stopOnce(
  supervisor: Supervisor,
  edge: () => Promise<LocalEdge> | undefined,
  sessions: string,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await supervisor.stop();
    await edge()?.then(
      ({ workerd }) => workerd.close(),
      () => undefined, // it never ran, and whoever waits for it has heard why
    );
    await endSessions(sessions);
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

/** A port that was free a moment ago may be another program's by now: a first start, which nobody knows yet, takes another. */
async function startEdgeAt(
  stateDir: string,
  port: number,
  another: (() => Promise<number>) | undefined,
): Promise<LocalEdge> {
  for (let tried = 1, at = port; ; tried += 1) {
    try {
      return await startEdge({ stateDir, port: at });
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!isTaken || another === undefined || tried === EDGE_STARTS) throw error;
      at = await another();
    }
  }
}

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

async function alreadyRunning(stateDir: string): Promise<LocalError> {
  const pid = (await readObserved(stateDir)).up?.pid;
  const device = await readDevice(stateDir).catch(() => undefined); // only to name the address
  const where = device ? ` at ${device.mcp_url}` : '';
  return new LocalError(
    'already_running',
    `npm start already runs in this clone (process ${pid})${where}.`,
    'Use that one, or end it with Ctrl-C where it runs; nothing was started.',
  );
}
