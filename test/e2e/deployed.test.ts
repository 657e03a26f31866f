import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { run } from '../../local/spawn/index.ts';
import { build, DIST } from '../../scripts/build/index.ts';
import { connectV2, converse } from '../../scripts/demo/index.ts';
import { type LocalEdge, startEdge } from '../../scripts/start/edge.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { verifies } from '../verifies.ts';
import { allGone, type Place, place, processesOf, signInHere } from './product.ts';
import { exists, type Running, runStart, START } from './running.ts';

let edgeFolder: string;
let edge: LocalEdge;
const places: Place[] = [];
const started: Running[] = [];

beforeAll(async () => {
  await build();
});
beforeEach(async () => {
  edgeFolder = ensurePrivateDir(mkdtempSync(join(tmpdir(), 'hm-deployed-')));
  edge = await startEdge({ stateDir: edgeFolder, port: await anyFreePort() });
});
afterEach(async () => {
  for (const { process: child, ended } of started.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  for (const at of places.splice(0)) {
    await allGone(at.stateDir);
    at.remove();
  }
  await edge.workerd.close();
  rmSync(edgeFolder, { recursive: true, force: true });
});

function newPlace(): Place {
  const at = place();
  places.push(at);
  return at;
}

/** A Herdr socket that nobody serves, so that an embedded one is started whatever runs on this machine. */
const noHerdr = (at: Place) => ({ HERDR_SOCKET_PATH: join(at.repository, 'nobody.sock') });

function start(at: Place, args: string[], stdin?: string): Running {
  const running = runStart(at, args, noHerdr(at), stdin);
  started.push(running);
  return running;
}

const file = (at: Place, name: string) => readFileSync(join(at.stateDir, name), 'utf8');
const deviceOf = (at: Place) => JSON.parse(file(at, 'device.json')) as { device_id: string; edge_origin: string };

async function command(at: Place, ...args: string[]): Promise<string> {
  const done = await run(process.execPath, [join(DIST, 'herdr-mcp.js'), ...args], {
    env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, HERDR_MCP_SECRETS: 'file' },
  });
  expect(done.stderr.toString()).toBe('');
  return done.stdout.toString();
}

describe('npm start with a deployed edge', () => {
  it('pairs the first workstation with the operator secret, a second one with address and code, and serves both', async () => {
    verifies('main.start');
    const first = newPlace();
    const one = start(first, ['--edge', `${edge.origin}/mcp`], `${edge.operatorSecret}\n`);
    await one.ready;
    expect(one.said()).toContain(`MCP URL     ${edge.origin}/mcp`);
    expect(one.said()).toContain(`HERDR_MCP_STATE_DIR=${first.stateDir} npm run herdr-mcp -- connector approve`);
    expect(exists(first, 'edge')).toBe(false);
    expect(processesOf(first.stateDir).filter((line) => line.includes('workerd'))).toEqual([]);
    expect([one.said(), ...processesOf(first.stateDir)].join('\n')).not.toContain(edge.operatorSecret);

    const opened = JSON.parse(await command(first, 'worker', 'pair', '--json')) as { address: string; code: string };
    const second = newPlace();
    const two = start(second, ['--pair', opened.address], `${opened.code}\n`);
    await two.ready;
    expect(two.said()).not.toContain(opened.code);

    const party = await signInHere(first, { mcpUrl: `${edge.origin}/mcp` }, connectV2);
    try {
      const { text } = await party.call('herdr_devices', {});
      const { devices } = JSON.parse(text) as { devices: { device_id: string; connection: string }[] };
      const ids = [first, second].map((at) => deviceOf(at).device_id);
      expect(devices.map(({ device_id }) => device_id).sort()).toEqual(ids.sort());
      expect(devices.map(({ connection }) => connection)).toEqual(['online', 'online']);
      const steps = await converse(party, { say: () => undefined, device: deviceOf(second).device_id });
      const inspected = steps.find(({ name }) => name === 'herdr_inspect');
      expect(JSON.stringify(inspected?.body)).toContain(second.repository);
      expect(JSON.stringify(inspected?.body)).not.toContain(first.repository);
    } finally {
      await party.close();
    }

    const demo = await run(process.execPath, [join(START, '..', 'demo.ts')], {
      env: { ...process.env, HERDR_MCP_STATE_DIR: first.stateDir },
      timeoutMs: 110_000,
    });
    expect(demo.stdout.toString()).toMatch(/Done: \d+ steps\./);
    expect(demo.stdout.toString()).toContain(first.repository);
  });

  it('is the same device the next time, asks nothing then, and takes the address from HERDR_MCP_EDGE', async () => {
    verifies('main.start');
    const at = newPlace();
    const first = start(at, ['--edge', edge.origin], `${edge.operatorSecret}\n`);
    await first.ready;
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const before = file(at, 'device.json');
    const again = runStart(at, [], { ...noHerdr(at), HERDR_MCP_EDGE: edge.origin });
    started.push(again);
    await again.ready;
    expect(file(at, 'device.json')).toBe(before);
  });

  it('asks at a terminal, where a typed secret is not shown', async () => {
    verifies('main.start');
    const at = newPlace();
    const terminal = spawn(process.execPath, [START, '--edge', edge.origin], {
      cwd: at.repository,
      env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, INIT_CWD: at.repository, ...noHerdr(at) },
    });
    let shown = '';
    const until = (text: string) =>
      new Promise<void>((resolve, reject) => {
        terminal.onExit(() => reject(new Error(shown)));
        const listening = terminal.onData((piece) => {
          shown += piece;
          if (!shown.includes(text)) return;
          listening.dispose();
          resolve();
        });
      });
    await until('or a pairing address (not shown): ');
    const ready = until('Ctrl-C ends everything.');
    terminal.write(`${edge.operatorSecret}\r`);
    await ready;
    expect(shown).not.toContain(edge.operatorSecret.slice(0, 6));
    terminal.kill('SIGTERM');
    await allGone(at.stateDir);
  });

  it('ends while it asks: Ctrl-C at the question leaves nothing', async () => {
    const at = newPlace();
    const terminal = spawn(process.execPath, [START, '--edge', edge.origin], {
      cwd: at.repository,
      env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, INIT_CWD: at.repository },
    });
    let shown = '';
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    terminal.onData((piece) => {
      const before = shown;
      shown += piece;
      if (!before.includes('(not shown): ') && shown.includes('(not shown): ')) terminal.write('\u0003');
    });
    expect(await ended).toBe(130);
    expect(shown).toContain('Interrupted; nothing was sent or started.');
    expect(exists(at, 'device.json')).toBe(false);
  });
});

describe('npm start with a deployed edge refuses with one sentence, and nothing is half-started', () => {
  async function refused(at: Place, running: Running, sentence: RegExp): Promise<void> {
    expect(await running.ended).toBe(1);
    const said = running.said().trim().split('\n');
    const lines = said.filter((line) => !line.endsWith(' ...'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(sentence);
    expect(processesOf(at.stateDir)).toEqual([]);
    for (const name of ['device.json', 'edge', 'runtime-a.json', 'logs/runtime.log'])
      expect(exists(at, name)).toBe(false);
  }

  it('a wrong secret, none at all, a spent one', async () => {
    verifies('main.start-refusals');
    const at = newPlace();
    const args = ['--edge', edge.origin];
    await refused(
      at,
      start(at, args, 'wrong\n'),
      /This is not the operator secret of this edge\. No pairing was opened\./,
    );
    await refused(at, start(at, args), /is not paired with .* yet, and no secret came on stdin; nothing was started\./);
    const first = newPlace();
    await start(first, args, `${edge.operatorSecret}\n`).ready;
    await refused(at, start(at, args, `${edge.operatorSecret}\n`), /The operator secret works once, and a device has/);
  });

  it('a wrong code, and a pairing address of another edge', async () => {
    verifies('main.start-refusals');
    const first = newPlace();
    await start(first, ['--edge', edge.origin], `${edge.operatorSecret}\n`).ready;
    const opened = JSON.parse(await command(first, 'worker', 'pair', '--json')) as { address: string; code: string };
    const wrong = opened.code === '000000' ? '111111' : '000000';
    const at = newPlace();
    await refused(
      at,
      start(at, ['--edge', edge.origin], `${opened.address}\n${wrong}\n`),
      /This machine was not paired: /,
    );
    await refused(
      at,
      start(at, ['--edge', 'https://other.example', '--pair', opened.address]),
      /This pairing address is of http:\/\/127\.0\.0\.1:\d+, not of https:\/\/other\.example\./,
    );
  });

  it('an address where nobody is, where somebody else is, and where an edge knows itself by another name', async () => {
    verifies('main.start-refusals');
    const at = newPlace();
    const free = await anyFreePort();
    await refused(at, start(at, ['--edge', `http://127.0.0.1:${free}`]), /cannot be reached .*; nothing was started\./);
    const other = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await refused(at, start(at, ['--edge', `http://127.0.0.1:${port}`]), /\(status 200\) is no edge of herdr-mcp\./);
    await new Promise((resolve) => other.close(resolve));
    const alias = edge.origin.replace('127.0.0.1', 'localhost');
    await refused(at, start(at, ['--edge', alias]), /was deployed for http:\/\/127\.0\.0\.1:\d+, so a sign-in there/);
  });

  it('plain http to another machine', async () => {
    verifies('main.start-refusals');
    const at = newPlace();
    await refused(at, start(at, ['--edge', 'http://edge.example'], 'secret\n'), /over the network in plain text\./);
  });

  it('a folder that is paired with another edge, whichever way round, and touches nothing', async () => {
    verifies('main.start-refusals');
    const at = newPlace();
    const first = start(at, ['--edge', edge.origin], `${edge.operatorSecret}\n`);
    await first.ready;
    first.process.kill('SIGTERM');
    await first.ended;
    const before = execFileSync('ls', ['-l', at.stateDir], { encoding: 'utf8' });
    const device = file(at, 'device.json');
    const elsewhere = start(at, ['--edge', 'https://other.example'], 'secret\n');
    expect(await elsewhere.ended).toBe(1);
    expect(elsewhere.said()).toMatch(
      /is paired with .* not with https:\/\/other\.example; nothing was started or changed\..*HERDR_MCP_STATE_DIR=/,
    );
    const local = start(at, []);
    expect(await local.ended).toBe(1);
    expect(local.said()).toContain(`Use that edge: npm start -- --edge ${edge.origin}`);
    expect(file(at, 'device.json')).toBe(device);
    expect(execFileSync('ls', ['-l', at.stateDir], { encoding: 'utf8' }).split('\n').length).toBe(
      before.split('\n').length,
    );
  });
});
