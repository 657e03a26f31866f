import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isAlive, processStartTime, run } from '../../local/spawn/index.ts';
import { verifies } from '../verifies.ts';

/** Polls until the pid is gone; the test's own time limit is the only bound. */
async function gone(pid: number): Promise<void> {
  while (processStartTime(pid) !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('run', () => {
  it('gives code, both streams and the input that it was handed', async () => {
    const result = await run('bash', ['-c', 'cat; echo err >&2; exit 3'], { input: 'in' });
    expect(result).toMatchObject({ code: 3, signal: null, timedOut: false, truncated: false, aborted: false });
    expect(result.stdout.toString()).toBe('in');
    expect(result.stderr.toString()).toBe('err\n');
  });

  it('settles when the program has ended, though a grandchild still holds the pipe', async () => {
    verifies('local.spawn');
    const result = await run('bash', ['-c', 'sleep 1000 & echo $!']);
    const grandchild = Number(result.stdout.toString());
    expect(result.code).toBe(0);
    expect(processStartTime(grandchild)).toBeDefined();
    process.kill(grandchild, 'SIGKILL');
    await gone(grandchild);
  });

  it('loses nothing of what was printed just before the end', async () => {
    verifies('local.spawn');
    const result = await run('bash', ['-c', 'head -c 3000000 /dev/zero']);
    expect(result.stdout.length).toBe(3_000_000);
  });

  it('ends the whole group at its time limit, also what ignores the first signal', async () => {
    verifies('local.spawn');
    const result = await run('bash', ['-c', 'trap "" TERM; sleep 1000 & echo $!; trap "" TERM; wait; wait'], {
      timeoutMs: 300,
    });
    expect(result.timedOut).toBe(true);
    await gone(Number(result.stdout.toString()));
  });

  it('is ended by its signal, and does not start at all under one that is over', async () => {
    const controller = new AbortController();
    const running = run('sleep', ['1000'], { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ aborted: true, code: null });
    expect(await run('no-such-program', [], { signal: AbortSignal.abort() })).toMatchObject({ aborted: true });
  });

  it('keeps what fits and says that more was there', async () => {
    const result = await run('bash', ['-c', 'yes | head -c 100000; exit 4'], { maxBytes: 10 });
    expect(result).toMatchObject({ truncated: true, code: 4 });
    expect(result.stdout.toString()).toBe('y\ny\ny\ny\ny\n');
  });

  it('ends a program that prints for ever once enough was read, when asked to', async () => {
    const result = await run('yes', [], { maxBytes: 10, endAtMaxBytes: true });
    expect(result).toMatchObject({ truncated: true, timedOut: false });
  });

  it('does not mind a program that never reads its input', async () => {
    expect(await run('true', [], { input: 'x'.repeat(1_000_000) })).toMatchObject({ code: 0 });
  });

  it.each([
    ['a missing program', ['no-such-program-here', { cwd: tmpdir() }], /not found on the PATH/],
    ['a missing folder', ['true', { cwd: '/no/such/folder' }], /folder \/no\/such\/folder does not exist/],
    ['a folder in place of a program', ['/', {}], /could not be started \(EACCES\)/],
  ] as const)('tells %s apart', async (_, [program, options], sentence) => {
    await expect(run(program, [], options)).rejects.toThrow(sentence);
  });
});

describe('a process', () => {
  it('is known by pid and start time; after its end it is not alive', async () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    const start = processStartTime(pid) ?? '';
    expect(isAlive(pid, start)).toBe(true);
    expect(isAlive(pid, `${start}0`)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(pid, start)).toBe(false);
  });

  it('that ended and was not yet collected is not alive', async () => {
    const parent = spawn('bash', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const zombie = Number(String((await once(parent.stdout, 'data'))[0]));
    await gone(zombie);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it.each([0, -1, 1.5, Number.NaN])('%s is no pid', (pid) => {
    expect(processStartTime(pid)).toBeUndefined();
  });
});
