import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  it('says what a person needs, has a workspace on the repository, says when it runs already, and is the same device again', async () => {
    verifies('main.start', 'main.start-refusals');
    const running = start();
    await running.ready;
    const before = device();
    const { mcp_url } = before;
    expect(running.said()).toContain(`claude mcp add --transport http herdr ${mcp_url}`);
    expect(running.said()).toContain('npm run herdr-mcp -- connector approve');
    expect(await workspaces()).toMatchObject([{ label: 'project' }]);
    expect(processesOf(at.stateDir).length).toBeGreaterThan(4);

    const twice = start();
    expect(await twice.ended).toBe(1);
    expect(twice.said()).toContain(
      `npm start already runs in this clone (process ${running.process.pid}) at ${mcp_url}.`,
    );
    expect((await fetch(mcp_url, { method: 'POST', body: '{}' })).status).toBe(401);

    running.process.kill('SIGINT');
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(processesOf(at.stateDir)).toEqual([]);
    expect(await isFree(Number(new URL(mcp_url).port))).toBe(true);

    const again = start();
    await again.ready;
    expect(device()).toEqual(before);
    expect(await workspaces()).toHaveLength(1);
  });

  it('refuses before anything runs when its own port is taken or its key is lost, and what it advises works', async () => {
    verifies('main.start-refusals');
    const first = start();
    await first.ready;
    const before = device();
    const kept = readFileSync(join(at.stateDir, 'device.json'), 'utf8');
    first.process.kill('SIGTERM');
    await first.ended;
    const logs = join(at.stateDir, 'logs');
    /** Each process would have begun a log. */
    const refusedEarly = async (run: Running) => {
      expect(await run.ended).toBe(1);
      expect(readFileSync(join(at.stateDir, 'device.json'), 'utf8')).toBe(kept);
      expect(readdirSync(logs)).toEqual([]);
      return run.said();
    };
    const port = Number(new URL(before.mcp_url).port);
    const squatter = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    rmSync(logs, { recursive: true });
    const told = (await refusedEarly(start())).split('\n').filter((line) => line.includes(String(port)));
    expect(told).toEqual([expect.stringMatching(/another program.*npm start -- --port .*signs in anew\.$/)]);

    const keys = join(at.stateDir, 'keys');
    renameSync(keys, `${keys}.away`);
    const elsewhere = ['--port', String(await anyFreePort())];
    const [edge = '', file = ''] = ['edge', 'device.json'].map((name) => join(at.stateDir, name));
    expect(await refusedEarly(start(elsewhere))).toContain(
      `Put it back, or begin anew: remove ${edge} and ${file} (web AIs then sign in again).`,
    );
    renameSync(`${keys}.away`, keys);

    const moved = start(elsewhere);
    await moved.ready;
    const after = device();
    expect(after.device_id).toBe(before.device_id);
    expect(after.mcp_url).not.toBe(before.mcp_url);
    expect(moved.said()).toContain(after.mcp_url);
    await new Promise((resolve) => squatter.close(resolve));
    moved.process.kill('SIGTERM');
    await moved.ended;

    for (const gone of [keys, edge, file]) rmSync(gone, { recursive: true });
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

  it('hands nothing of npm to panes and commands, and ended by Ctrl-C ends what both left in the background', async () => {
    verifies('main.start');
    const bin = join(ROOT, 'node_modules', '.bin');
    const npm = { npm_lifecycle_event: 'start', npm_config_local_prefix: ROOT, INIT_CWD: at.repository };
    const nobody = join(at.repository, 'nobody.sock');
    const running = start([], { ...npm, HERDR_SOCKET_PATH: nobody, PATH: `${bin}:${process.env['PATH']}` });
    await running.ready;
    const [workspace] = await workspaces();
    const herdr = createHerdrClient(join(at.stateDir, 'herdr.sock'));
    const inPane = `hm-left-${process.pid}`;
    const inCommand = `hm-exec-left-${process.pid}`;
    const sleeper = (marker: string) => `bash -c 'exec -a ${marker} sleep 1000'`;
    const { root_pane } = await herdr.call('tab.create', { workspace_id: workspace?.workspace_id ?? '' });
    const file = join(at.repository, 'env.txt');
    const text = `env > ${file}.part; mv ${file}.part ${file}; nohup ${sleeper(inPane)} >/dev/null 2>&1 &`;
    await herdr.call('pane.send_input', { pane_id: root_pane.pane_id, text, keys: ['enter'] });

    const party = await signInHere(at, { mcpUrl: device().mcp_url }, connectV2);
    const command = (line: string, more = {}) =>
      party.call('herdr_exec', { workspace: workspace?.workspace_id, command: line, ...more });
    const { output } = JSON.parse((await command('env')).text) as { output: string };
    // Also what leaves its process group.
    await command(`setsid nohup ${sleeper(inCommand)} >/dev/null 2>&1 & ${sleeper(inCommand)}`, { timeout_ms: 300 });
    await party.close();
    const left = (marker: string) => processesOf(marker).filter((line) => line.includes('1000')).length;
    while (!existsSync(file) || left(inPane) < 1 || left(inCommand) < 2) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const seenInPane = readFileSync(file, 'utf8');
    for (const seen of [seenInPane, output]) {
      expect(seen).toMatch(/^PATH=/m);
      expect(seen).not.toMatch(/^(npm_|INIT_CWD)/m);
      expect(seen).not.toContain(bin);
    }
    expect(seenInPane).toContain(`HERDR_BIN_PATH=${join(DIST, 'herdr-mcp.js')}\n`);

    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(processesOf(at.stateDir)).toEqual([]);
    expect([...processesOf(inPane), ...processesOf(inCommand)]).toEqual([]);
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
    ['desired.json', '[]', /desired\.json is not what herdr-mcp writes there.* Nor is there a copy/],
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
