import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedHerdr } from '../../embedded-herdr/index.ts';
import { createHerdrClient } from '../../runtime-a-b/herdr/index.ts';
import { DIST, ROOT } from '../../scripts/build/index.ts';
import { connectV2 } from '../../scripts/demo/index.ts';
import { anyFreePort, isFree } from '../../scripts/start/ports.ts';
import { verifies } from '../verifies.ts';
import { allGone, type Place, place, processesOf, signInHere } from './product.ts';
import { exists, gone, pidOf, type Running, runStart } from './running.ts';

let at: Place;
const started: Running[] = [];
beforeEach(() => {
  at = place();
});
afterEach(async () => {
  for (const { process: child, ended } of started.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  await allGone(at.stateDir);
  at.remove();
});

function start(args: string[] = [], env: Record<string, string> = {}): Running {
  const running = runStart(at, args, env);
  started.push(running);
  return running;
}

const device = () =>
  JSON.parse(readFileSync(join(at.stateDir, 'device.json'), 'utf8')) as { device_id: string; mcp_url: string };
const workspaces = async () =>
  (await createHerdrClient(join(at.stateDir, 'herdr.sock')).call('workspace.list', {})).workspaces;

describe('npm start', () => {
  it('says what a person needs, has a workspace on the repository, and Ctrl-C leaves no process', async () => {
    verifies('main.start');
    const running = start();
    await running.ready;
    const { mcp_url } = device();
    expect(running.said()).toContain(`claude mcp add --transport http herdr ${mcp_url}`);
    expect(running.said()).toContain('npm run herdr-mcp -- connector approve');
    expect((await fetch(mcp_url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(await workspaces()).toMatchObject([{ label: 'project' }]);
    expect(processesOf(at.stateDir).length).toBeGreaterThan(4);

    running.process.kill('SIGINT');
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(processesOf(at.stateDir)).toEqual([]);
    expect(await isFree(Number(new URL(mcp_url).port))).toBe(true);
  });

  it('again is the same device at the same address with the same workspace', async () => {
    verifies('main.start');
    const first = start();
    await first.ready;
    const before = device();
    first.process.kill('SIGTERM');
    await first.ended;
    const second = start();
    await second.ready;
    expect(device()).toEqual(before);
    expect(await workspaces()).toHaveLength(1);
  });

  it('refuses when its own port is taken, and moves only where it is told to', async () => {
    verifies('main.start-refusals');
    const first = start();
    await first.ready;
    const before = device();
    const kept = readFileSync(join(at.stateDir, 'device.json'), 'utf8');
    first.process.kill('SIGTERM');
    await first.ended;
    const port = Number(new URL(before.mcp_url).port);
    const squatter = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    rmSync(join(at.stateDir, 'logs'), { recursive: true });

    const second = start();
    expect(await second.ended).toBe(1);
    const told = second
      .said()
      .split('\n')
      .filter((line) => line.includes(String(port)));
    expect(told).toEqual([expect.stringMatching(/another program.*npm start -- --port .*signs in anew\.$/)]);
    expect(readFileSync(join(at.stateDir, 'device.json'), 'utf8')).toBe(kept);
    expect(readdirSync(join(at.stateDir, 'logs'))).toEqual([]); // each process would have begun one

    const third = start(['--port', String(await anyFreePort())]);
    await third.ready;
    const after = device();
    expect(after.device_id).toBe(before.device_id);
    expect(after.mcp_url).not.toBe(before.mcp_url);
    expect(third.said()).toContain(after.mcp_url);
    await new Promise((resolve) => squatter.close(resolve));
  });

  it('whose key is lost refuses before anything runs, and what it advises works', async () => {
    verifies('main.start-refusals');
    const first = start();
    await first.ready;
    const before = device();
    first.process.kill('SIGTERM');
    await first.ended;
    rmSync(join(at.stateDir, 'keys'), { recursive: true });
    rmSync(join(at.stateDir, 'logs'), { recursive: true });

    const second = start();
    expect(await second.ended).toBe(1);
    const [edge, file] = ['edge', 'device.json'].map((name) => join(at.stateDir, name));
    expect(second.said()).toContain(
      `Put it back, or begin anew: remove ${edge} and ${file} (web AIs then sign in again).`,
    );
    expect(device()).toEqual(before);
    expect(readdirSync(join(at.stateDir, 'logs'))).toEqual([]);

    rmSync(edge ?? '', { recursive: true });
    rmSync(file ?? '');
    await start().ready;
    expect(device().device_id).not.toBe(before.device_id);
  });

  it('the first time moves to the next free port, and says so in one line', async () => {
    verifies('main.start');
    const squatter = createServer().listen(8787, '127.0.0.1');
    const holds = new Promise((resolve) => squatter.once('listening', resolve));
    await Promise.race([holds, new Promise((resolve) => squatter.once('error', resolve))]); // or somebody else holds it
    const running = start();
    await running.ready;
    const { port } = new URL(device().mcp_url);
    expect(port).not.toBe('8787');
    const told = running
      .said()
      .split('\n')
      .filter((line) => line.startsWith('Port 8787 is in use'));
    expect(told).toEqual([expect.stringContaining(`port ${port} from now on`)]);
    await new Promise((resolve) => squatter.close(resolve));
  });

  it('killed outright takes everything with it', async () => {
    verifies('main.start');
    const running = start();
    await running.ready;
    running.process.kill('SIGKILL');
    await allGone(at.stateDir);
  });

  it.each(['runtime', 'link', 'embedded-herdr', 'edge'] as const)('ends everything when the %s dies', async (part) => {
    verifies('main.start');
    const running = start();
    await running.ready;
    const pid = pidOf(at, part);
    process.kill(pid, 'SIGKILL');
    expect(await running.ended).toBe(1);
    await gone(pid);
    expect(running.said()).toMatch(
      new RegExp(`${part} ended with (SIGKILL|code 137), so everything was ended\\. Run npm start again`),
    );
    await allGone(at.stateDir);
  });

  it('ended by Ctrl-C ends what was left running in the background, too', async () => {
    verifies('main.start');
    const running = start();
    await running.ready;
    const marker = `hm-left-${process.pid}`;
    const herdr = createHerdrClient(join(at.stateDir, 'herdr.sock'));
    const [workspace] = await workspaces();
    const { root_pane } = await herdr.call('tab.create', { workspace_id: workspace?.workspace_id ?? '' });
    const command = `nohup bash -c 'exec -a ${marker} sleep 1000' >/dev/null 2>&1 &`;
    await herdr.call('pane.send_input', { pane_id: root_pane.pane_id, text: command, keys: ['enter'] });
    while (processesOf(marker).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(processesOf(at.stateDir)).toEqual([]);
  });

  it('ended by Ctrl-C ends the commands of a web AI, also what they left outside their process group', async () => {
    verifies('main.start');
    const running = start();
    await running.ready;
    const party = await signInHere(at, { mcpUrl: device().mcp_url }, connectV2);
    const [workspace] = await workspaces();
    const marker = `hm-exec-left-${process.pid}`;
    const sleeper = `bash -c 'exec -a ${marker} sleep 1000'`;
    await party.call('herdr_exec', {
      workspace: workspace?.workspace_id,
      command: `setsid nohup ${sleeper} >/dev/null 2>&1 & ${sleeper}`,
      timeout_ms: 300,
    });
    while (processesOf(marker).filter((line) => line.includes('1000')).length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await party.close();
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(processesOf(marker)).toEqual([]);
  });

  it('started by npm hands nothing of npm to panes and commands, and panes find our own program', async () => {
    verifies('main.start');
    const bin = join(ROOT, 'node_modules', '.bin');
    const npm = { npm_lifecycle_event: 'start', npm_config_local_prefix: ROOT, INIT_CWD: at.repository };
    const nobody = join(at.repository, 'nobody.sock');
    const running = start([], { ...npm, HERDR_SOCKET_PATH: nobody, PATH: `${bin}:${process.env['PATH']}` });
    await running.ready;
    const [workspace] = await workspaces();
    const file = join(at.repository, 'env.txt');
    const herdr = createHerdrClient(join(at.stateDir, 'herdr.sock'));
    const { root_pane } = await herdr.call('tab.create', { workspace_id: workspace?.workspace_id ?? '' });
    const text = `env > ${file}.part; mv ${file}.part ${file}`;
    await herdr.call('pane.send_input', { pane_id: root_pane.pane_id, text, keys: ['enter'] });
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 50));
    const party = await signInHere(at, { mcpUrl: device().mcp_url }, connectV2);
    const ran = await party.call('herdr_exec', { workspace: workspace?.workspace_id, command: 'env' });
    await party.close();
    const { output } = JSON.parse(ran.text) as { output: string };
    const inPane = readFileSync(file, 'utf8');
    for (const seen of [inPane, output]) {
      expect(seen).toMatch(/^PATH=/m);
      expect(seen).not.toMatch(/^(npm_|INIT_CWD)/m);
      expect(seen).not.toContain(bin);
    }
    expect(inPane).toContain(`HERDR_BIN_PATH=${join(DIST, 'herdr-mcp.js')}\n`);
  });

  it('uses the Herdr that answers instead of one of its own, and leaves it running', async () => {
    const socket = join(at.repository, 'h.sock');
    const herdr = await startEmbeddedHerdr({
      socketPath: socket,
      stateDir: join(at.repository, 'herdr'),
      log: pino({ level: 'silent' }),
    });
    try {
      const running = start([], { HERDR_SOCKET_PATH: socket });
      await running.ready;
      expect(running.said()).toContain('Herdr       yours');
      expect(exists(at, 'logs/embedded-herdr.log')).toBe(false);
      running.process.kill('SIGINT');
      expect(await running.ended).toBe(0);
      const answered = await createHerdrClient(socket).call('workspace.list', {});
      expect(answered.workspaces).toMatchObject([{ label: 'project' }]);
    } finally {
      await herdr.close();
    }
  });

  it('a second time in the same clone says that one runs, and disturbs nothing', async () => {
    verifies('main.start-refusals');
    const first = start();
    await first.ready;
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.said()).toContain(
      `npm start already runs in this clone (process ${first.process.pid}) at ${device().mcp_url}.`,
    );
    expect((await fetch(device().mcp_url, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});

describe('npm start refuses with one sentence, and nothing is half-started', () => {
  async function refused(running: Running, sentence: RegExp): Promise<void> {
    expect(await running.ended).toBe(1);
    const lines = running
      .said()
      .trim()
      .split('\n')
      .filter((line) => !line.endsWith(' ...'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(sentence);
    expect(processesOf(at.stateDir)).toEqual([]);
    expect(exists(at, 'edge')).toBe(false);
  }

  const broken = (name: string, content: string) => {
    mkdirSync(at.stateDir, { mode: 0o700, recursive: true });
    writeFileSync(join(at.stateDir, name), content, { mode: 0o600 });
  };

  it.each([
    ['config.json', '{"runtime": ', /config\.json is no JSON\. Correct it or remove it/],
    ['config.json', '{"colour": "red"}', /config\.json has an unknown key "colour"/],
    ['device.json', '{"device_id": 5}', /device\.json does not name a paired device/],
    ['state.db', 'this is no database at all, only text', /state\.db is damaged or no database/],
    ['runtime-active.json', '[]', /runtime-active\.json is not what the runtime writes there/],
  ])('a broken %s', async (name, content, sentence) => {
    verifies('main.start-refusals');
    broken(name, content);
    await refused(start(), sentence);
    expect(readFileSync(join(at.stateDir, name), 'utf8')).toBe(content);
  });

  it('a port that was asked for and is taken', async () => {
    verifies('main.start-refusals');
    const squatter = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const { port } = squatter.address() as { port: number };
    await refused(start(['--port', String(port)]), new RegExp(`Port ${port} is in use\\.`));
    await new Promise((resolve) => squatter.close(resolve));
  });

  it('a folder without Git', async () => {
    verifies('main.start-refusals');
    rmSync(join(at.repository, '.git'), { recursive: true });
    await refused(start(), /is in no Git repository/);
  });

  it('a machine without Git', async () => {
    verifies('main.start-refusals');
    const empty = join(at.repository, 'bin');
    mkdirSync(empty);
    symlinkSync(process.execPath, join(empty, 'node'));
    await refused(start([], { PATH: empty }), /Git was not found on the PATH/);
  });

  it('a state folder whose socket path is too long for the system', async () => {
    verifies('main.start-refusals');
    at = { ...at, stateDir: join(at.stateDir, 'x'.repeat(100)) };
    await refused(start(), /The socket path .* is \d+ bytes long/);
  });

  it('a word too many', async () => {
    await refused(start(['a', 'b']), /"b" is one word too many/);
  });
});
