/** What is told of a child that the supervisor itself had to end, whoever hears of its end first. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { YOUNG_HALF_MIB } from '../../../runtime-a-b/generations/limits.ts';
import { Children, type Ending } from '../../../runtime-a-b/generations/supervisor/children.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

const BOOT = 'boot_of_the_test';

let folder: ReturnType<typeof tempFolder>;
let children: Children;
/** How often the supervisor was told that something has ended. */
let told: number;
/** The clock that children are judged by, in ms. */
let nowMs: number;
beforeEach(() => {
  folder = tempFolder();
  const program = join(folder.path, 'revisions', 'r1');
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, 'runtime.js'), 'setInterval(() => undefined, 1_000);');
  children = new Children({ stateDir: folder.path, env: { PATH: process.env['PATH'] }, ports: { a: 0, b: 0 } });
  told = 0;
  children.ended = () => {
    told += 1;
  };
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
const servers: Server[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  children.end('runtime-a');
  for (; children.pid('runtime-a') !== undefined; await sleep(1)) await children.look();
  for (const server of servers.splice(0)) server.close();
  folder.remove();
});

/** A runtime that answers as long as `isWell()`, as the supervisor started it. */
async function started(isWell: () => boolean): Promise<void> {
  const server = createServer((_, response) => {
    response.writeHead(isWell() ? 200 : 503, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(isWell() ? { ok: true, boot_id: BOOT, version: '1.0.0' } : {}));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const launched = children.prepare('runtime-a', 'r1', '');
  if (!launched) throw new Error('it did not start');
  const { pid, start: process_start } = launched;
  const { port } = server.address() as AddressInfo;
  const record = {
    ...{ schema: 1, generation: 'a', boot_id: BOOT, pid, process_start, port, started_at_ms: 0, version: '1.0.0' },
    ...{ contract_epoch: 5, contract_hash: `sha256:${'0'.repeat(64)}`, exec: [] },
  };
  writeFileSync(join(folder.path, 'runtime-a.json'), JSON.stringify(record), { mode: 0o600 });
  launched.go();
}

const toldTimes = (times: number) => vi.waitFor(() => expect(told).toBe(times), { timeout: 60_000 });

describe('a child that was ended', () => {
  it('because it had stopped answering is told as such, also when the system has told of its end before', async () => {
    verifies('ab.generations');
    let well = true;
    await started(() => well);
    while (children.standing('runtime-a') !== 'ready') expect(await children.look()).toEqual([]);
    well = false;
    while (told === 0) {
      nowMs += 30_000; // longer than it waits before it asks again; three of these are longer than a runtime may be silent
      expect(await children.look()).toEqual([]);
      await sleep(1);
    }
    await toldTimes(2); // by the verdict, and by the end of the process
    expect(await children.look()).toEqual<Ending[]>([
      { name: 'runtime-a', asked: false, why: 'runtime-a stopped answering and was ended.' },
    ]);
  });

  it('because it did not get ready is told as such, also when the system has told of its end before', async () => {
    verifies('ab.generations');
    await started(() => false);
    expect(await children.look()).toEqual([]);
    nowMs += 60_000;
    expect(await children.look()).toEqual([]);
    await toldTimes(1);
    expect(await children.look()).toEqual<Ending[]>([
      { name: 'runtime-a', asked: false, why: 'runtime-a did not answer within a minute and was ended.' },
    ]);
  });
});

/** Lives through 800 MB of objects of which 8 MB are kept at any time, and writes down how large its young space became. */
const MUCH_PASSES_THROUGH = `
const kept = new Array(4096);
for (let n = 0; n < 400_000; n += 1) kept[n % kept.length] = new Array(256).fill(n);
const young = require('node:v8').getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
require('node:fs').writeFileSync(process.argv[process.argv.indexOf('--state-dir') + 1] + '/young', String(young.space_size));
setInterval(() => undefined, 1_000);
`;

describe('what passes through', () => {
  const youngOf = (): Promise<number> => {
    const written = () => {
      const bytes = Number(readFileSync(join(folder.path, 'young'), 'utf8'));
      expect(bytes).toBeGreaterThan(0);
      return bytes;
    };
    return vi.waitFor(written, { timeout: 60_000 });
  };
  const bound = 2 * YOUNG_HALF_MIB * 1024 * 1024;

  it('does not make a runtime grow', async () => {
    verifies('bench.soak');
    writeFileSync(join(folder.path, 'revisions', 'r1', 'runtime.js'), MUCH_PASSES_THROUGH);
    await started(() => true);
    expect(await youngOf()).toBeLessThanOrEqual(bound);
  });

  it('nor a link', async () => {
    writeFileSync(join(folder.path, 'revisions', 'r1', 'herdr-link.js'), MUCH_PASSES_THROUGH);
    const launched = children.prepare('link', 'r1', '');
    if (!launched) throw new Error('it did not start');
    launched.go();
    expect(await youngOf()).toBeLessThanOrEqual(bound);
    children.end('link');
    for (; children.pid('link') !== undefined; await sleep(1)) await children.look();
  });
});
