import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { processesIn, sizesOf } from './processes.ts';

const WAITS = ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1e6)'];

it.runIf(process.platform === 'linux')(
  'a process is found by its arguments, its environment or its place, with what it weighs, until it has ended',
  async () => {
    verifies('bench.soak');
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hm-soak-')));
    const children = [
      spawn(process.execPath, [...WAITS, folder]),
      spawn(process.execPath, WAITS, { env: { ANYTHING: join(folder, 's') } }),
      spawn(process.execPath, WAITS, { cwd: folder }),
    ];
    onTestFinished(async () => {
      for (const child of children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true });
    });
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    const seen = processesIn(folder);
    expect(seen.map(({ pid }) => pid).toSorted()).toEqual(children.map(({ pid }) => pid).toSorted());
    for (const one of seen) {
      expect(one.role).toBe('other');
      expect(Math.min(one.rssMb, one.fds, one.threads)).toBeGreaterThan(0);
    }
    const [first, ...others] = children;
    first?.kill('SIGKILL');
    if (first) await once(first, 'exit');
    expect(
      processesIn(folder)
        .map(({ pid }) => pid)
        .toSorted(),
    ).toEqual(others.map(({ pid }) => pid).toSorted());
  },
);

it('what lies in a state folder is weighed by its first level', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-soak-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'exec', 'one'), { recursive: true });
  writeFileSync(join(folder, 'exec', 'one', 'stdout'), 'x'.repeat(30));
  writeFileSync(join(folder, 'exec', 'snapshot'), 'x'.repeat(12));
  writeFileSync(join(folder, 'state.db'), 'x'.repeat(7));
  expect(sizesOf(folder)).toEqual({ 'exec/': 42, 'state.db': 7 });
});
