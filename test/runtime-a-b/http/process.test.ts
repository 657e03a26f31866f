import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder, until } from '../support/index.ts';

const MAIN = await program('runtime');

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

interface Started {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  code: Promise<number | null>;
}

function start(args: string[]): Started {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
  });
  const code = new Promise<number | null>((resolve) => child.once('close', (exit) => resolve(exit)));
  return { child, out: () => out, err: () => err, code };
}

const state = () => join(folder.path, 'state');
const normal = (...more: string[]) => [
  '--port',
  '0',
  '--generation',
  'a',
  '--state-dir',
  state(),
  '--herdr-socket',
  join(folder.path, 'none.sock'),
  ...more,
];

describe('the runtime as a process', () => {
  it('prints one line when it is ready, writes its record, and stops cleanly on SIGTERM', async () => {
    verifies('runtime.cold-start');
    const runtime = start(normal());
    await until('the ready line', () => runtime.out().includes('\n'));
    const ready = JSON.parse(runtime.out()) as { ready: boolean; port: number; pid: number };
    expect(ready).toMatchObject({ ready: true, generation: 'a', pid: runtime.child.pid });
    expect((await fetch(`http://127.0.0.1:${ready.port}/health`)).status).toBe(200);
    expect(existsSync(join(state(), 'runtime-a.json'))).toBe(true);
    runtime.child.kill('SIGTERM');
    expect(await runtime.code).toBe(0);
    expect(existsSync(join(state(), 'runtime-a.json'))).toBe(false);
    expect(existsSync(join(state(), 'state.db-wal'))).toBe(false);
  });

  it('says in one sentence that its port is taken, and leaves nothing behind', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as { port: number };
    const runtime = start(normal().with(1, String(port)));
    expect(await runtime.code).toBe(1);
    expect(runtime.err().trim().split('\n')).toHaveLength(1);
    expect(runtime.err()).toContain(`Port ${port}`);
    expect(existsSync(join(state(), 'runtime-a.json'))).toBe(false);
    await new Promise((resolve) => blocker.close(resolve));
  });

  it('says in one sentence that its database is broken', async () => {
    mkdirSync(state(), { mode: 0o700 });
    writeFileSync(join(state(), 'state.db'), 'no database, but long enough to be taken for a header of one', {
      mode: 0o600,
    });
    const runtime = start(normal());
    expect(await runtime.code).toBe(1);
    expect(runtime.err().trim().split('\n')).toHaveLength(1);
    expect(runtime.err()).toContain('state.db is damaged or no database');
  });

  it.each([[[]], [['--port', 'x']], [['--nonsense']], [['--port', '0', '--generation', 'c', '--state-dir', '/tmp/x']]])(
    'explains itself for %j',
    async (args) => {
      const runtime = start(args);
      expect(await runtime.code).toBe(2);
      expect(runtime.err()).toContain('usage: runtime');
    },
  );

  it('ends when the process that started it is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const runtime = start(normal('--parent-pid', String(parent.pid)));
    await until('the ready line', () => runtime.out().includes('\n'));
    parent.kill('SIGKILL');
    expect(await runtime.code).toBe(0);
  });

  it('gives two generations one token and one database', async () => {
    const [a, b] = [start(normal()), start(normal().with(3, 'b'))];
    await until('both ready', () => a.out().includes('\n') && b.out().includes('\n'));
    expect(existsSync(join(state(), 'runtime-a.json')) && existsSync(join(state(), 'runtime-b.json'))).toBe(true);
    const { readFileSync } = await import('node:fs');
    const token = readFileSync(join(state(), 'runtime-token'), 'utf8').trim();
    for (const runtime of [a, b]) {
      const { port } = JSON.parse(runtime.out()) as { port: number };
      const answer = await fetch(`http://127.0.0.1:${port}/facts`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(200);
      runtime.child.kill('SIGTERM');
      expect(await runtime.code).toBe(0);
    }
  });
});
