import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStartTime } from '../../local/spawn/index.ts';
import { type ChildOptions, startChild } from '../../scripts/start/child.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-child-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const bash = (script: string): ChildOptions => ({
  name: 'thing',
  program: 'bash',
  args: ['-c', script],
  env: process.env,
  cwd: dir,
  log: join(dir, 'thing.log'),
  isReady: (line) => line === 'ready',
});

async function gone(pid: number): Promise<void> {
  while (processStartTime(pid) !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a process of the product', () => {
  it('is ready when it says so, and its other words go to a private log', async () => {
    const child = await startChild(bash('echo warming up; echo to the log >&2; echo ready; exec sleep 1000'));
    expect(child.ready).toBe('ready');
    expect(readFileSync(join(dir, 'thing.log'), 'utf8')).toBe('to the log\n');
    expect(statSync(join(dir, 'thing.log')).mode & 0o777).toBe(0o600);
    await child.end(5_000);
    await gone(child.pid);
    expect(await child.ended).toBe('thing ended with SIGTERM');
  });

  it('that ends before it is ready is told with its own last words', async () => {
    await expect(startChild(bash('echo "port 1 is in use." >&2; exit 2'))).rejects.toThrow(/port 1 is in use\./);
    await expect(startChild(bash(`echo '{"msg":"the file is broken"}' >&2; exit 2`))).rejects.toThrow(
      /the file is broken/,
    );
    const crash =
      'file:///x.js:1\\n  boom()\\n  ^\\n\\nTypeError: boom is not a function\\n    at x.js:1\\n\\nNode.js v24';
    await expect(startChild(bash(`printf '${crash}' >&2; exit 1`))).rejects.toThrow(
      /^TypeError: boom is not a function$/,
    );
    await expect(startChild(bash('exit 3'))).rejects.toThrow(/thing ended with code 3/);
    await expect(startChild({ ...bash(''), program: 'no-such-program' })).rejects.toThrow(/could not be started/);
  });

  it('is ended with everything in its group, also what ignores the first signal, and twice is once', async () => {
    const child = await startChild(
      bash('trap "" TERM; sleep 1000 & echo $! >&2; echo ready; while :; do sleep 0.1; done'),
    );
    const below = Number(readFileSync(join(dir, 'thing.log'), 'utf8'));
    await Promise.all([child.end(100), child.end(100)]);
    await gone(child.pid);
    await gone(below);
    await child.end(100);
  });

  it('that ends by itself says so', async () => {
    const child = await startChild(bash('echo ready; exit 4'));
    expect(await child.ended).toBe('thing ended with code 4');
  });
});
