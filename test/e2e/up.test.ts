/** `herdr-mcp up` and `down` as a person and as a service run them: the built command, real processes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { saveConfig } from '../../local/config/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { build, DIST } from '../../scripts/build/index.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { verifies } from '../verifies.ts';
import { allGone, processesOf } from './product.ts';

const COMMAND = join(DIST, 'herdr-mcp.js');

let home: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => build({ parts: ['node'] }));
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'hm-up-'));
  const stateDir = ensurePrivateDir(join(home, 's'));
  const nobody = join(home, 'nobody.sock');
  env = { ...process.env, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file', HERDR_SOCKET_PATH: nobody };
  const [port, candidate_port] = [await anyFreePort(), await anyFreePort()];
  await saveConfig(join(stateDir, 'config.json'), { runtime: { port, candidate_port } });
});
afterEach(async () => {
  await run('down');
  await allGone(env['HERDR_MCP_STATE_DIR'] ?? '');
  rmSync(home, { recursive: true, force: true });
});

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

const run = (...args: string[]): Promise<Ran> => runIn({}, ...args);

const runIn = (more: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], { env: { ...env, ...more } }, (_, out, err) => {
      resolve({ code: child.exitCode, out, err });
    });
  });

interface Up {
  process: ChildProcess;
  ended: Promise<number | null>;
  /** What it has said to the person at its terminal, apart from its results. */
  noted(): string;
}

/** Starts it and resolves when everything runs. */
async function up(...args: string[]): Promise<Up> {
  const child = spawn(process.execPath, [COMMAND, 'up', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  for (;;) {
    const { observed, up: supervisor } = await status();
    if (supervisor?.pid === child.pid && observed?.state === 'running')
      return { process: child, ended, noted: () => said };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Status {
  up: { pid: number } | null;
  observed: { state: string; children: { name: string; process?: { pid: number } }[] } | null;
}

const status = async () => JSON.parse((await run('runtime', 'status', '--json')).out) as Status;
const pids = async () => (await status()).observed?.children.map(({ name, process: one }) => [name, one?.pid]).sort();

describe('herdr-mcp up', () => {
  it('is taken over by the next one after SIGTERM and SIGKILL, and ended by down, which stays', async () => {
    verifies('ab.generations');
    const first = await up();
    const before = await pids();
    expect(before).toEqual([
      ['herdr', expect.any(Number)],
      ['runtime-a', expect.any(Number)],
    ]);
    const second = await run('up');
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('already runs')]);

    first.process.kill('SIGTERM'); // as a service is restarted
    expect(await first.ended).toBe(0);
    expect((await status()).up).toBeNull();
    const other = await up('--service');
    expect(await pids()).toEqual(before);
    other.process.kill('SIGKILL');
    await other.ended;
    expect(await run('runtime', 'promote')).toMatchObject({ code: 1, err: expect.stringContaining('herdr-mcp up') });
    const third = await up('--service');
    expect(await pids()).toEqual(before);

    expect(await run('down')).toMatchObject({ code: 0 });
    expect(await third.ended).toBe(0);
    expect(processesOf(env['HERDR_MCP_STATE_DIR'] ?? '')).toEqual([]);
    expect(await run('up', '--service')).toMatchObject({ code: 0, err: expect.stringContaining('The user stopped') });
    expect((await status()).observed).toMatchObject({ state: 'stopped', children: [] });
  });

  it('is neither started nor ended by a command that a web AI started through it', async () => {
    verifies('ab.generations');
    const inside = { HERDR_MCP_EXEC_ID: 'es_a_x_1' };
    for (const command of ['up', 'down']) {
      expect(await runIn(inside, command)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`herdr-mcp ${command} was started by a web AI`),
      });
    }
    expect((await run('runtime', 'status', '--json')).out).toContain('"desired":null');
  });

  it('ends everything with Ctrl-C, and starts it again', async () => {
    verifies('ab.generations');
    const first = await up();
    expect(first.noted()).toContain('pair this machine'); // nobody reaches a workstation without an edge
    first.process.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(processesOf(env['HERDR_MCP_STATE_DIR'] ?? '')).toEqual([]);
    const again = await up('--service'); // Ctrl-C is no wish that it stays ended
    expect(await pids()).toHaveLength(2);
    again.process.kill('SIGTERM');
    await again.ended;
  });

  it('down ends what a killed one left', async () => {
    const first = await up();
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await run('down')).toMatchObject({ code: 0 });
    expect(processesOf(env['HERDR_MCP_STATE_DIR'] ?? '')).toEqual([]);
  });
});
