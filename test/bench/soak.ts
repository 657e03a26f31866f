/**
 * P13 and the idle part of P14, only with `--soak`: what the standing processes weigh after ten minutes in which nothing
 * happens, what is left of a burst of calls ten minutes later, and whether a runtime grows over a million events of Herdr.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXTENSION_ID, extensionOrigin } from '../../contract/extension/identity.ts';
import { installNativeHost } from '../../extension/native-host/index.ts';
import { DIST } from '../../scripts/build/index.ts';
import { openPort, type Port, place } from '../extension/native-host/port.ts';
import { fakeHerdr, pane, snapshotOf, tab, tempFolder, workspace } from '../runtime-a-b/support/index.ts';
import { callOf, headers } from './full-path.ts';
import { storageDigest } from './object-storage.ts';
import { post } from './post.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const IDLE_MS = 10 * 60_000;
/** Calls of the burst: small ones, and results of 1 MiB. */
const BURST_SMALL = 3_000;
const BURST_LARGE = 60;
const EVENTS = 1_000_000;
/** Events sent before the socket gets a turn. */
const BATCH = 1_000;
/** The first tenth fills rings and compilers; growth is counted from there. */
const SETTLED = EVENTS / 10;
/** How much a process may have grown and still be called flat, in MB: less than a garbage collection swings. */
const FLAT_MB = 15;
/** How long the reader may take to catch up after the last event, in ms. */
const CATCH_UP_MS = 5_000;

export async function idleMemory(stage: Stage): Promise<Row[]> {
  const browser = await nativeHost(stage);
  try {
    const pids: Record<string, number | undefined> = {
      ...stage.product.pids,
      'native host': browser.port.child.pid,
    };
    const weigh = (name: string): number => {
      const pid = pids[name];
      if (pid === undefined) throw new Error(`${name} does not run`);
      return residentMb(pid);
    };
    const before = storageDigest(stage);
    await sleep(IDLE_MS);
    const quiet = storageDigest(stage) === before;
    const bars = { runtime: 120, link: 80, 'native host': 55 } as const;
    const idle = Object.entries(bars).map(([name, bar]): Row => {
      const mb = weigh(name);
      const what = `${name}, after 10 idle minutes`;
      return { id: 'P13', what, beside: '', bar: `≤ ${bar} MB`, held: mb <= bar, facts: { MB: mb } };
    });
    await burst(stage);
    await sleep(IDLE_MS);
    const after = (['runtime', 'link'] as const).map((name): Row => {
      const what = `${name}, 10 minutes after a burst`;
      return { id: 'P13', what, beside: '', bar: 'none; for comparison', held: true, facts: { MB: weigh(name) } };
    });
    const written: Row = {
      id: 'P14',
      what: 'object storage, 10 idle minutes',
      beside: '',
      bar: '0 writes',
      held: quiet,
      facts: { 'rows changed': quiet ? 0 : 'yes' },
    };
    return [...idle, ...after, written, await memoryOverEvents()];
  } finally {
    await browser.close();
  }
}

/** The built native host on the runtime's socket, with the event stream open, as a browser starts and holds it. */
async function nativeHost(stage: Stage): Promise<{ port: Port; close(): Promise<void> }> {
  const here = place();
  const { stateDir } = stage;
  await installNativeHost({ ...here.options, stateDir, program: join(DIST, 'herdr-native-host.main.js') });
  const port = openPort(join(stateDir, 'native', 'herdr-extension-host'), extensionOrigin(EXTENSION_ID));
  const close = async () => {
    await port.close();
    here.remove();
  };
  port.send({ type: 'stream', id: 'events', path: '/push/events' });
  await port.wait('stream_open', 'events');
  return { port, close };
}

/** Many small calls at once, then large results: what is kept of either shows while nothing happens. */
async function burst(stage: Stage): Promise<void> {
  const large = join(stage.repository, 'large.txt');
  writeFileSync(large, `${'\\'.repeat(4095)}\n`.repeat(64));
  const ask = (args: Record<string, unknown>) => () =>
    post(stage.product.mcpUrl, JSON.stringify(callOf('herdr_fs_read', args)), headers(stage.accessToken));
  await repeat(BURST_SMALL, 32, ask({ path: join(stage.repository, SAMPLE_FILE) }));
  await repeat(BURST_LARGE, 8, ask({ path: large, end_line: 64, max_bytes: 262_144 }));
}

async function repeat(count: number, callers: number, call: () => Promise<unknown>): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function memoryOverEvents(): Promise<Row> {
  const folder = tempFolder('hm-soak-');
  const shown = { workspaces: [workspace('w1')], tabs: [tab('w1:t1')], panes: [pane('w1:p1')] };
  const herdr = await fakeHerdr({ 'session.snapshot': () => snapshotOf(shown) });
  const args = [
    '--port',
    '0',
    '--generation',
    'a',
    '--state-dir',
    join(folder.path, 's'),
    '--herdr-socket',
    herdr.path,
  ];
  const runtime = spawn(process.execPath, [join(DIST, 'runtime.js'), ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = once(runtime, 'exit');
  try {
    await once(runtime.stdout, 'data');
    const pid = runtime.pid as number;
    await send(herdr, 0, SETTLED);
    const before = residentMb(pid);
    await send(herdr, SETTLED, EVENTS);
    const after = residentMb(pid);
    return {
      id: 'P13',
      what: 'runtime over 1,000,000 events',
      beside: '',
      bar: `grows ≤ ${FLAT_MB} MB`,
      held: after - before <= FLAT_MB,
      facts: { 'MB before': before, 'MB after': after },
    };
  } finally {
    runtime.kill('SIGTERM');
    await gone;
    await herdr.stop();
    folder.remove();
  }
}

async function send(herdr: Awaited<ReturnType<typeof fakeHerdr>>, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += BATCH) {
    for (let n = i; n < i + BATCH; n++) {
      const status = n % 2 === 0 ? 'working' : 'idle';
      herdr.push('pane_agent_status_changed', { pane_id: 'w1:p1', workspace_id: 'w1', agent_status: status });
    }
    await sleep(1);
  }
  await sleep(CATCH_UP_MS);
}

/** Resident memory of a process, in MB. */
function residentMb(pid: number): number {
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  return Math.round(kib / 1024);
}
