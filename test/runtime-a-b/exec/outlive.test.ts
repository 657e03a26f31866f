import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expired } from '../../../runtime-a-b/exec/sweep.ts';
import { verifies } from '../../verifies.ts';
import { never, type Place, place, until } from './support.ts';

/** Starts a command in a process of its own, which can be killed like a runtime. */
async function startElsewhere(where: Place, command: string): Promise<{ id: string; kill(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./generation.ts', import.meta.url)), where.stateDir, where.cwd, command],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const id = await until(() => /^(es_\S+)\n/.exec(text)?.[1], 'the other generation starts the command');
  return {
    id: where.track(id),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

describe('a command outlives its runtime', () => {
  it('goes on, its output is kept, and another generation knows how it ended', async () => {
    verifies('exec.survives-runtime', 'exec.output-kept');
    const where = place();
    const gate = join(where.cwd, 'gate');
    const other = await startElsewhere(
      where,
      `echo before; until [ -e ${gate} ]; do sleep 0.05; done; echo after; echo oops >&2; exit 5`,
    );
    const exec = where.open({ generation: 'b', bootId: 'boot_other' });
    await until(() => exec.read(other.id, 'both', 0, 100).text === 'before\n', 'output before the kill');
    await other.kill();
    expect(exec.look(other.id)?.running).toBe(true);
    expect((await exec.wait(other.id, 50, never)).running).toBe(true);
    const waiting = exec.wait(other.id, 20_000, never);
    writeFileSync(gate, '');
    expect(await waiting).toMatchObject({ running: false, done: { exitCode: 5, signal: null } });
    expect(exec.read(other.id, 'stdout', 0, 100).text).toBe('before\nafter\n');
    expect(exec.read(other.id, 'stderr', 0, 100).text).toBe('oops\n');
    expect(readdirSync(join(where.stateDir, 'exec', other.id))).toContain('exit');
    expect(exec.list(10).map(({ state }) => state.id)).toEqual([other.id]);
  });

  it('is found by its mark when the runtime was killed before it noted the pid', async () => {
    verifies('exec.survives-runtime');
    const where = place();
    const other = await startElsewhere(where, 'echo up; sleep 600');
    await other.kill();
    rmSync(join(where.stateDir, 'exec', other.id, 'pid'), { force: true });
    const exec = where.open({ generation: 'b' });
    expect(exec.look(other.id)?.running).toBe(true);
    expect(await exec.kill(other.id)).toMatchObject({ killed: true, survivors: [], state: { running: false } });
  });

  it('can be ended by another generation', async () => {
    verifies('exec.survives-runtime');
    const where = place();
    const other = await startElsewhere(where, 'trap "" TERM; echo up; while :; do sleep 0.05; done');
    await other.kill();
    const exec = where.open({ generation: 'b' });
    await until(() => exec.read(other.id, 'both', 0, 100).text === 'up\n', 'the trap is set');
    const killed = await exec.kill(other.id);
    expect(killed).toMatchObject({
      killed: true,
      forced: true,
      survivors: [],
      state: { running: false, done: { signal: 'SIGKILL' } },
    });
    expect(exec.isRunning(other.id)).toBe(false);
  });

  it('that vanished without a word is called lost, not ended well', async () => {
    verifies('exec.survives-runtime');
    const where = place();
    const other = await startElsewhere(where, 'sleep 600');
    await other.kill();
    const exec = where.open({ generation: 'b' });
    const { survivors } = await exec.kill(other.id);
    expect(survivors).toEqual([]);
    const folder = join(where.stateDir, 'exec', other.id);
    for (const name of ['exit', 'exit.new', 'done.json']) rmSync(join(folder, name), { force: true });
    expect(exec.look(other.id)).toMatchObject({ running: false, done: { exitCode: null, lost: true } });
  });

  it('is not called ended while it is only just starting', () => {
    const where = place();
    const exec = where.open();
    const id = 'es_b_boot_1a2b';
    const folder = join(where.stateDir, 'exec', id);
    const meta = { v: 1, id, generation: 'b', boot: 'boot', root: '/', cwd: '/', command: 'x', shell: '/bin/sh' };
    const write = (startedAtMs: number) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'meta.json'), JSON.stringify({ ...meta, startedAtMs }));
    };
    write(Date.now());
    expect(exec.isRunning(id)).toBe(true);
    write(Date.now() - 60_000);
    expect(exec.look(id)).toMatchObject({ running: false, done: { lost: true } });
  });

  it('is found by no name that leads elsewhere', () => {
    const exec = place().open();
    for (const id of ['../..', 'es_a_b_1/../../x', '', 'es_', 'x'.repeat(200), 'es_a_b_1'])
      expect(exec.look(id)).toBeUndefined();
  });
});

describe('old sessions', () => {
  it.each([
    ['young and small', [{ id: 'a', endedAtMs: 1_000, bytes: 1 }], []],
    ['old', [{ id: 'a', endedAtMs: -90_000_000, bytes: 1 }], ['a']],
    [
      'too much together',
      [
        { id: 'new', endedAtMs: 900, bytes: 2 ** 31 - 1 },
        { id: 'old', endedAtMs: 800, bytes: 2 },
      ],
      ['old'],
    ],
  ])('%s', (_, sessions, expected) => {
    expect(expired(sessions, 1_000)).toEqual(expected);
  });

  it('are removed, running ones never', async () => {
    const where = place();
    const exec = where.open();
    const { id: running } = await exec.start({ root: where.cwd, cwd: where.cwd, command: 'sleep 600' });
    const { id: ended } = await exec.start({ root: where.cwd, cwd: where.cwd, command: 'true' });
    where.track(running);
    await exec.wait(ended, 20_000, never);
    await exec.close();
    const late = where.open({ generation: 'b', nowMs: () => Date.now() + 25 * 60 * 60 * 1_000 });
    await until(() => !existsSync(join(where.stateDir, 'exec', ended)), 'the ended one is removed');
    expect(late.look(running)?.running).toBe(true);
    utimesSync(join(where.stateDir, 'exec', running), 0, 0);
    await late.kill(running);
  });
});
