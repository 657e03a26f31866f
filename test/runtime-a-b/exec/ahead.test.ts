import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { markedProcesses } from '../../../runtime-a-b/exec/processes.ts';
import { verifies } from '../../verifies.ts';
import { finish, type Place, place, until } from './support.ts';

/** Ids of the sessions that are ready and have no command yet. */
const waiting = (where: Place) => {
  const base = join(where.stateDir, 'exec');
  const isEmpty = (id: string) => readFileSync(join(base, id, 'meta.json'), 'utf8') === '';
  return readdirSync(base).filter((id) => id.startsWith('es_') && isEmpty(id));
};

const ready = (where: Place) =>
  until(() => {
    const [id] = waiting(where);
    return id !== undefined && markedProcesses(id).length === 1 && id;
  }, 'the next session is ready');

describe('the session that is ready ahead of its command', () => {
  it('is what the next command runs in, and is no session before that', async () => {
    const where = place();
    const exec = where.open();
    await finish(exec, where, 'true');
    const id = await ready(where);
    expect(exec.look(id)).toBeUndefined();
    expect(exec.list(10).map(({ state }) => state.id)).not.toContain(id);
    expect(await finish(exec, where, 'pwd; echo "[$OLDPWD]"')).toMatchObject({ id, stdout: `${where.cwd}\n[]\n` });
  });

  it('ends with a runtime that is killed', async () => {
    verifies('exec.survives-runtime');
    const where = place();
    const program = fileURLToPath(new URL('./generation.ts', import.meta.url));
    const child = spawn(process.execPath, [program, where.stateDir, where.cwd, 'true'], { stdio: 'ignore' });
    const id = await until(() => {
      try {
        return waiting(where)[0];
      } catch {
        return undefined; // the state folder is still being made
      }
    }, 'the next session is made');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => markedProcesses(id).length === 0, 'its wrapper is gone');
  });

  it('ends with a runtime that stops, and leaves no folder', async () => {
    const where = place();
    const exec = where.open();
    await finish(exec, where, 'true');
    const id = await ready(where);
    await exec.close();
    await until(() => markedProcesses(id).length === 0, 'its wrapper is gone');
    expect(readdirSync(join(where.stateDir, 'exec'))).not.toContain(id);
  });

  it('is not used when somebody ended its wrapper', async () => {
    const where = place();
    const exec = where.open();
    await finish(exec, where, 'true');
    const id = await ready(where);
    for (const { pid } of markedProcesses(id)) process.kill(pid, 'SIGKILL');
    await until(() => markedProcesses(id).length === 0, 'its wrapper is gone');
    const next = await finish(exec, where, 'echo ran');
    expect(next.id).not.toBe(id);
    expect(next).toMatchObject({ stdout: 'ran\n', done: { exitCode: 0 } });
  });

  it('is not used in another environment than the login shell’s of now', async () => {
    verifies('exec.environment');
    const where = place();
    let tool = 'first';
    const exec = where.open({
      login: {
        probe: async () => ({ ok: true, environment: { PATH: process.env.PATH ?? '', TOOL: tool }, tookMs: 0 }),
      },
      nowMs: () => (tool === 'first' ? Date.now() : Date.now() + 13 * 60 * 60 * 1_000),
    });
    expect((await finish(exec, where, 'echo $TOOL')).stdout).toBe('first\n');
    await ready(where);
    tool = 'second'; // half a day later
    await finish(exec, where, 'true');
    await until(async () => (await finish(exec, where, 'echo $TOOL')).stdout === 'second\n', 'the new environment');
  });

  it('changes no variable of the person’s, whatever it is called', async () => {
    const where = place();
    const environment = { PATH: process.env.PATH ?? '', d: 'mine', s: 'too', word: 'this' };
    const exec = where.open({ login: { probe: async () => ({ ok: true, environment, tookMs: 0 }) } });
    expect((await finish(exec, where, 'echo "$d $s $word"')).stdout).toBe('mine too this\n');
  });

  it('says that nothing ran when the directory is gone', async () => {
    const where = place();
    const exec = where.open();
    await finish(exec, where, 'true');
    await ready(where);
    const gone = join(where.cwd, 'gone');
    await expect(exec.start({ root: gone, cwd: gone, command: 'true' })).rejects.toMatchObject({
      code: 'exec_start_failed',
      delivery: 'not_delivered',
    });
    rmSync(gone, { recursive: true, force: true });
  });

  it('says that nothing ran when a link has taken the place of the directory', async () => {
    const where = place();
    const exec = where.open();
    const [cwd, other] = ['work', 'other'].map((name) => join(where.cwd, name)) as [string, string];
    mkdirSync(other);
    symlinkSync(other, cwd);
    await expect(exec.start({ root: cwd, cwd, command: 'touch ran' })).rejects.toMatchObject({
      code: 'exec_start_failed',
      delivery: 'not_delivered',
    });
    expect(readdirSync(other)).toEqual([]);
  });
});
