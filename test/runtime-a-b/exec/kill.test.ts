import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { markedProcesses } from '../../../runtime-a-b/exec/processes.ts';
import { OTHER_USER } from '../../broker/confined.ts';
import { verifies } from '../../verifies.ts';
import { never, place, until } from './support.ts';

/** A command whose children write a line each when they are up. */
async function start(command: string, lines: number) {
  const where = place();
  const exec = where.open();
  const { id } = await exec.start({ root: where.cwd, cwd: where.cwd, command });
  where.track(id);
  await until(() => exec.read(id, 'both', 0, 10_000).text.split('\n').length > lines, 'the command is up');
  return { exec, id };
}

const SERVER = (how: string) =>
  `${how} python3 -u -c 'import http.server as h; s=h.HTTPServer(("127.0.0.1",0),h.BaseHTTPRequestHandler); print("port",s.server_port); s.serve_forever()'`;

describe('ending a command', () => {
  it('ends its whole group and says how it ended', async () => {
    verifies('exec.background');
    const { exec, id } = await start('sleep 600 & sleep 601 | sleep 602 & echo up; sleep 603', 1);
    expect(markedProcesses(id).length).toBeGreaterThanOrEqual(5);
    const killed = await exec.kill(id);
    expect(killed).toMatchObject({ killed: true, survivors: [], state: { running: false } });
    // On a machine that is starved of time the grace may pass before the processes have run at all.
    const { done } = killed.state;
    expect(killed.forced ? done?.signal : done?.exitCode).toBe(killed.forced ? 'SIGKILL' : 143);
    expect(markedProcesses(id)).toEqual([]);
    expect(await exec.kill(id)).toMatchObject({ killed: false, state: { done } });
  });

  // Only root can become somebody else; a stranger who may read the checkout wherever it lies is made by Linux's setpriv.
  const becomes = process.getuid?.() === 0 && process.platform === 'linux';
  (becomes ? it : () => undefined)('says that nothing was ended when it may not signal the command', async () => {
    verifies('exec.background');
    const where = place();
    const { id } = await where.open().start({ root: where.cwd, cwd: where.cwd, command: 'sleep 600' });
    where.track(id);
    await until(() => markedProcesses(id).length > 1, 'the command is up');
    // The state folder is the stranger's; the command is ours, as a terminal's may be.
    execFileSync('chown', ['-R', `${OTHER_USER}:${OTHER_USER}`, where.stateDir]);
    const program = fileURLToPath(new URL('./stranger.ts', import.meta.url));
    const as = [`--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'];
    const reads = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
    const said = execFileSync('setpriv', [...as, ...reads, process.execPath, program, where.stateDir, id], {
      ...{ cwd: '/', encoding: 'utf8' },
    });
    expect(JSON.parse(said)).toEqual({ killed: false, forced: false, running: true });
    expect(markedProcesses(id).length).toBeGreaterThan(1);
  });

  it('forces those that do not listen', async () => {
    const { exec, id } = await start('trap "" TERM; echo up; while :; do sleep 0.05; done', 1);
    expect(await exec.kill(id)).toMatchObject({
      killed: true,
      forced: true,
      survivors: [],
      state: { running: false, done: { signal: 'SIGKILL' } },
    });
  });

  it.each([
    ['setsid', `${SERVER('setsid')} & wait`],
    ['nohup in a session of its own', `${SERVER('nohup setsid')} 2>/dev/null & wait`],
    ['a double fork', `( ( ${SERVER('setsid')} ) & ) ; sleep 600`],
  ])('lists what left the group by %s, with its port', async (_, command) => {
    verifies('exec.background');
    const { exec, id } = await start(command, 1);
    const port = Number(/port (\d+)/.exec(exec.read(id, 'both', 0, 1_000).text)?.[1]);
    const { killed, survivors } = await exec.kill(id);
    expect(killed).toBe(true);
    expect(survivors).toEqual([
      { pid: expect.any(Number), command: expect.stringContaining('python3'), ports: [port] },
    ]);
    for (const { pid } of survivors) process.kill(pid, 'SIGKILL');
    await until(() => exec.survivors(id).length === 0, 'the server is gone');
  });

  it('also ends background children of a shell that ended before', async () => {
    verifies('exec.background');
    const { exec, id } = await start('sleep 600 & echo up', 1);
    expect((await exec.wait(id, 20_000, never)).running).toBe(false);
    expect(await exec.kill(id)).toMatchObject({ killed: true, survivors: [], state: { done: { exitCode: 0 } } });
    expect(markedProcesses(id)).toEqual([]);
  });
});
