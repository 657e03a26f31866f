/**
 * The whole product out of its bundles on one state folder and fixed ports, where every part can be killed and comes
 * back by itself. Nothing is asked of the parts that an installed product's supervisor would not do: start again.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { type Generation, writePointer } from '../../runtime-a-b/generations/index.ts';
import { build, DIST, ROOT } from '../../scripts/build/index.ts';
import { approveHere } from '../../scripts/demo/index.ts';
import { type Child, startChild } from '../../scripts/start/child.ts';
import { startEdge } from '../../scripts/start/edge.ts';
import { openWorkspace } from '../../scripts/start/herdr.ts';
import { ensurePaired } from '../../scripts/start/pairing.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { endSessions } from '../../scripts/start/sessions.ts';
import { processesOf } from '../e2e/product.ts';
import { earnToken } from '../support/access-token.ts';
import { Part } from './part.ts';
import type { FaultKind } from './plan.ts';
import { openWire } from './wire.ts';

export interface ChaosStage {
  mcpUrl: string;
  accessToken: string;
  repository: string;
  workspace: string;
  /** Strikes; whether there was something to strike. */
  strike(kind: FaultKind): boolean;
  /** When the runtime was killed, in ms since 1970. */
  runtimeKills: readonly number[];
  /** Resolves when every part runs and the link is connected. Rejects when a part could not be started again. */
  healed(): Promise<void>;
  close(): Promise<void>;
}

export async function openChaosStage(): Promise<ChaosStage> {
  await build({});
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hm-chaos-')));
  const repository = join(home, 'project');
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  const paths = statePaths(ensurePrivateDir(join(home, 's')));
  ensurePrivateDir(paths.logs);
  ensurePrivateDir(paths.herdrState);
  process.env['HERDR_MCP_SECRETS'] = 'file';
  const edgePort = await anyFreePort();
  const ports: Record<Generation, number> = { a: await anyFreePort(), b: await anyFreePort() };
  const wire = await openWire(edgePort);
  const env = { ...process.env, HERDR_MCP_STATE_DIR: paths.dir, HERDR_MCP_SECRETS: 'file' };
  let boots = 0;
  const child = (name: string, script: string, args: readonly string[], mark: string): Promise<Child> =>
    startChild({
      name,
      program: process.execPath,
      args: [join(DIST, script), ...args, '--parent-pid', String(process.pid)],
      env,
      cwd: ROOT,
      log: join(paths.logs, `${name}.${++boots}.log`),
      isReady: (line) => line.includes(mark),
    });
  const parts: Part[] = [];
  const close = async () => {
    for (const part of parts.toReversed()) await part.end();
    await endSessions(paths.exec);
    // A runtime that is killed while it captures the login environment leaves that shell behind.
    for (const line of processesOf(home)) endStray(Number.parseInt(line, 10));
    await wire.close();
    rmSync(home, { recursive: true, force: true });
  };
  const part = async (start: () => Promise<Child>): Promise<Part> => {
    const added = await Part.start(start);
    parts.push(added);
    return added;
  };
  try {
    let first: Awaited<ReturnType<typeof startEdge>> | undefined;
    const edge = await part(async () => {
      const started = await startEdge({ stateDir: paths.dir, port: edgePort, publicOrigin: wire.origin });
      first ??= started;
      return asChild(started.workerd);
    });
    await part(() =>
      child(
        'embedded-herdr',
        'embedded-herdr.js',
        ['--socket', paths.herdrSocket, '--state-dir', paths.herdrState],
        '"ready":true',
      ),
    );
    const runtime = (generation: Generation): Promise<Part> => {
      const own = ['--port', String(ports[generation]), '--generation', generation];
      const place = ['--state-dir', paths.dir, '--herdr-socket', paths.herdrSocket];
      return part(() => child(`runtime-${generation}`, 'runtime.js', [...own, ...place], '"ready":true'));
    };
    const runtimes = { a: await runtime('a'), b: await runtime('b') };
    const pointer = { schema: 1 as const, generation: 'a' as Generation, revision: 0 };
    const point = (generation: Generation): Promise<void> => {
      Object.assign(pointer, { generation, revision: pointer.revision + 1 });
      return writePointer(paths.dir, { ...pointer, port: ports[generation] });
    };
    await point('a');
    let moved = Promise.resolve();
    if (first === undefined) throw new Error('the edge was not started');
    const device = await ensurePaired(paths.dir, first);
    const workspace = await openWorkspace(paths.herdrSocket, repository);
    const link = await part(() => child('link', 'herdr-link.js', ['--state-dir', paths.dir], '"connected"'));
    const grant = await earnToken(
      device.mcp_url,
      approveHere(paths.dir, () => undefined),
    );
    const runtimeKills: number[] = [];
    const strikes: Record<FaultKind, () => boolean> = {
      runtime: () => {
        const struck = runtimes[pointer.generation].kill();
        if (struck) runtimeKills.push(Date.now());
        return struck;
      },
      switch: () => {
        const next = pointer.generation === 'a' ? 'b' : 'a';
        if (!runtimes[next].runs) return false; // a promotion passes its gates first
        moved = moved.then(() => point(next));
        return true;
      },
      link: () => link.kill(),
      edge: () => edge.kill(),
      cut: () => wire.cutLink() > 0,
      drop: () => wire.cutCallers() > 0,
    };
    return {
      mcpUrl: device.mcp_url,
      accessToken: grant.accessToken,
      repository,
      workspace: workspace.label,
      strike: (kind) => strikes[kind](),
      runtimeKills,
      healed: async () => {
        await moved;
        await Promise.all(parts.map((one) => one.up()));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function endStray(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended meanwhile
  }
}

function asChild(workerd: Awaited<ReturnType<typeof startEdge>>['workerd']): Child {
  const { process: running } = workerd;
  const ended = new Promise<string>((resolve) => {
    running.once('exit', (code, signal) => resolve(`edge ended with ${signal ?? `code ${code}`}`));
  });
  return { name: 'edge', pid: running.pid ?? 0, ready: workerd.origin, ended, end: () => workerd.close() };
}
