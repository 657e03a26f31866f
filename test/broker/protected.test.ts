import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKER_REVISION } from '../../contract/broker.ts';
import { askBroker } from '../../runtime-a-b/tools/protected/ask.ts';
import { repository } from '../runtime-a-b/roots/live-view.ts';
import {
  callOver,
  envelopeFor,
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  tab,
  until,
  workspace,
} from '../runtime-a-b/support/index.ts';
import { verifies } from '../verifies.ts';
import { asOtherUser, OTHER_USER, spawnConfined } from './confined.ts';

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let base: string;
let guarded: string;
let stateDir: string;
let herdr: FakeHerdr;
let runtime: ChildProcess;
let send: (path: string, init?: RequestInit) => Promise<Response>;
const brokers: ChildProcess[] = [];

const repo = (name = '') => join(guarded, 'repo', name);
const plain = (name = '') => join(guarded, 'plain', name);
const socket = () => join(stateDir, 'broker.sock');
const call = async (tool: string, args: Record<string, unknown>) =>
  (await callOver(send, envelopeFor(tool, args), args)).json;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hm-broker-')));
  chmodSync(base, 0o755);
  guarded = join(base, 'guarded');
  stateDir = join(base, 's');
  mkdirSync(guarded, { mode: 0o700 });
  mkdirSync(stateDir, { mode: 0o700 });
  mkdirSync(join(base, 'open'));
  mkdirSync(plain());
  writeFileSync(join(base, 'open', 'o.txt'), 'open to all\n');
  writeFileSync(plain('p.txt'), 'no version control\n');
  symlinkSync(join(base, 'open', 'o.txt'), plain('way-out'));
  repository(repo(), {
    'notes.md': 'one\ntwo needle\n',
    '.env': 'PASSWORD=needle',
    'dot.png': Buffer.from(PIXEL, 'base64'),
  });
  writeFileSync(repo('new.txt'), 'not committed\n');
  herdr = await fakeHerdr({
    'session.snapshot': () =>
      snapshotOf({
        workspaces: [workspace('w1'), workspace('w2')],
        tabs: [tab('w1:t1'), tab('w2:t1')],
        panes: [
          pane('w1:p1', { cwd: repo() }),
          pane('w1:p2', { cwd: plain() }),
          pane('w2:p1', { cwd: join(base, 'open') }),
        ],
      }),
  });
  const config = join(stateDir, 'config.json');
  writeFileSync(config, JSON.stringify({ policy: { protected_folders: [guarded] } }), { mode: 0o600 });
  if (asOtherUser)
    for (const path of [stateDir, config, dirname(herdr.path), herdr.path]) chownSync(path, OTHER_USER, OTHER_USER);
  const args = ['--port', '0', '--generation', 'a', '--state-dir', stateDir, '--herdr-socket', herdr.path];
  const env = { ...process.env, HOME: base };
  const command = [source('runtime-a-b/main.ts'), ...args];
  runtime = spawnConfined(process.execPath, command, guarded, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (runtime.stdout === null) throw new Error('no pipe');
  const ended = once(runtime, 'exit').then(() => {
    throw new Error('the runtime ended before it was ready');
  });
  const [line] = (await Promise.race([once(runtime.stdout, 'data'), ended])) as [Buffer];
  ended.catch(() => undefined); // it ends with the tests
  const { port } = JSON.parse(line.toString()) as { port: number };
  const token = readFileSync(join(stateDir, 'runtime-token'), 'utf8').trim();
  send = (path, init = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  await until('the picture', async () => (await call('herdr_fs_read', { path: join(base, 'open', 'o.txt') })).ok);
}, 60_000);

afterAll(async () => {
  for (const child of [runtime, ...brokers]) await end(child);
  await herdr.stop();
  rmSync(base, { recursive: true, force: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

async function startBroker(...more: string[]): Promise<ChildProcess> {
  const args = [source('broker/main.ts'), '--state-dir', stateDir, '--folder', guarded, ...more];
  const env = { ...process.env, HOME: base };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  brokers.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(line.toString())).toMatchObject({ ready: true, revision: BROKER_REVISION });
  return child;
}

describe('a protected folder without a broker', () => {
  it('is truly closed to the runtime’s process', async () => {
    verifies('roots.protected');
    const child = spawnConfined('cat', [repo('notes.md')], guarded, { stdio: 'ignore' });
    expect((await once(child, 'exit'))[0]).not.toBe(0);
  });

  it('is refused with the command that starts one', async () => {
    verifies('roots.protected');
    expect(await call('herdr_fs_read', { path: repo('notes.md') })).toMatchObject({
      ok: false,
      code: 'protected_folder_unavailable',
      reason: 'protected_folder_unavailable',
      next: expect.stringContaining(`HERDR_MCP_STATE_DIR=${stateDir} herdr-mcp broker run --replace`),
    });
  });
});

describe('a broker of an older revision', () => {
  it('is asked nothing, and the refusal carries the command that updates it', async () => {
    verifies('roots.protected');
    const asked: Buffer[] = [];
    const old = createServer((peer) => {
      peer.on('data', (part) => asked.push(part));
      peer.on('error', () => undefined);
      peer.write(`${JSON.stringify({ broker: 'herdr-mcp', revision: BROKER_REVISION - 1 })}\n`);
    });
    await new Promise<void>((resolve) => old.listen(socket(), resolve));
    if (asOtherUser) chownSync(socket(), OTHER_USER, OTHER_USER);
    try {
      expect(await call('herdr_fs_read', { path: plain('p.txt') })).toMatchObject({
        code: 'protected_folder_unavailable',
        broker_revision: BROKER_REVISION - 1,
        needed_revision: BROKER_REVISION,
        next: expect.stringContaining('herdr-mcp broker run --replace'),
      });
      expect(asked).toEqual([]);
    } finally {
      await new Promise((resolve) => old.close(resolve));
    }
  });
});

describe('a protected folder with a broker', () => {
  beforeAll(async () => {
    await startBroker();
  }, 60_000);

  it('is read through it by every reading tool', async () => {
    verifies('roots.protected');
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
    expect(await call('herdr_fs_read', { path: repo('notes.md') })).toMatchObject({
      ok: true,
      root: repo(),
      content: 'one\ntwo needle\n',
    });
    const listed = await call('herdr_fs_list', { path: repo() });
    expect((listed.entries as { name: string }[]).map(({ name }) => name)).toEqual(['dot.png', 'new.txt', 'notes.md']);
    expect(await call('herdr_fs_grep', { root: repo(), pattern: 'needle' })).toMatchObject({
      count: 1,
      matches: [{ file: 'notes.md', line: 2 }],
    });
    expect(await call('herdr_fs_image', { path: repo('dot.png') })).toMatchObject({ ok: true, mime_type: 'image/png' });
    expect(await call('herdr_git', { root: repo(), action: 'status' })).toMatchObject({
      ok: true,
      branch: expect.anything(),
      output: expect.stringContaining('new.txt'),
    });
  });

  it('serves a directory without version control, which is called neither clean nor dirty', async () => {
    verifies('roots.protected');
    expect(await call('herdr_fs_read', { path: plain('p.txt') })).toMatchObject({ content: 'no version control\n' });
    const status = await call('herdr_git', { root: plain(), action: 'status' });
    expect(status).toMatchObject({ code: 'not_a_git_repo' });
    expect(status).not.toHaveProperty('clean');
  });

  it.each([
    ['a secret name', () => repo('.env'), 'secret_path_denied'],
    ['a symlink that leads out', () => plain('way-out'), 'symlink_escape'],
    ['a file of no open directory', () => join(guarded, 'elsewhere.txt'), 'outside_managed_roots'],
    ['a file that is not there', () => plain('none.txt'), 'not_found'],
  ])('keeps the boundary: %s', async (_, path, code) => {
    verifies('roots.protected');
    expect(await call('herdr_fs_read', { path: path() })).toMatchObject({ ok: false, code });
  });

  it.each([
    ['herdr_fs_write', () => ({ path: plain('made.txt'), content: 'x' })],
    ['herdr_fs_edit', () => ({ path: repo('notes.md'), old_string: 'one', new_string: '1' })],
    ['herdr_fs_patch', () => ({ root: repo(), patch: '*** Begin Patch\n*** Delete File: notes.md\n*** End Patch' })],
  ])('changes no file there: %s names the shell in a visible pane as the way', async (tool, args) => {
    verifies('roots.protected');
    expect(await call(tool, args())).toMatchObject({
      ok: false,
      code: 'protected_folder_unavailable',
      delivery: 'not_delivered',
      next: expect.stringContaining('herdr_exec'),
    });
    expect(existsSync(plain('made.txt'))).toBe(false);
    expect(readFileSync(repo('notes.md'), 'utf8')).toBe('one\ntwo needle\n');
  });

  it.each([
    ['herdr_exec', () => ({ workspace: 'w1', command: 'touch made.txt' }), 'project_root_required'],
    [
      'herdr_exec',
      () => ({ workspace: 'w1', command: 'touch made.txt', project_root: repo('.git') }),
      'project_root_not_in_workspace',
    ],
    [
      'herdr_exec',
      () => ({ workspace: 'w1', command: 'touch made.txt', project_root: plain() }),
      'utility_pane_unavailable',
    ],
    ['herdr_exec_start', () => ({ root: plain(), command: 'touch made.txt' }), 'utility_pane_unavailable'],
    ['herdr_exec_start', () => ({ root: guarded, command: 'touch made.txt' }), 'root_not_project_root'],
  ])('runs nothing there while Herdr gives no pane: %s %s', async (tool, args, code) => {
    verifies('roots.protected-exec');
    expect(await call(tool, args())).toMatchObject({ ok: false, code, delivery: 'not_delivered' });
    expect(existsSync(plain('made.txt'))).toBe(false);
  });

  it('is shown as what it is: protected, and nobody says whether it is a checkout or clean', async () => {
    verifies('roots.protected', 'runtime.inspect');
    const { workspaces } = await call('herdr_inspect', {});
    const [first] = workspaces as { projects: Record<string, unknown>[] }[];
    expect(first?.projects).toEqual([
      { root: repo(), pane_ids: ['w1:p1'], managed: 'unknown', vcs: 'unknown', protected: true },
      { root: plain(), pane_ids: ['w1:p2'], managed: 'unknown', vcs: 'unknown', protected: true },
    ]);
  });

  it('is no way to anything else: a folder that it does not serve, a tool that changes', async () => {
    verifies('roots.protected');
    const options = { socketPath: socket(), needs: 1, command: 'none', signal: new AbortController().signal };
    const open = join(base, 'open');
    const directories = [{ workspace_id: 'w2', pane_id: 'w2:p1', cwd: open }];
    const ask = (tool: string, args: Record<string, unknown>) =>
      askBroker({ tool, args, directories, live: true }, options);
    await expect(ask('herdr_fs_read', { path: join(open, 'o.txt') })).rejects.toMatchObject({
      code: 'outside_managed_roots',
    });
    await expect(ask('herdr_fs_write', { path: plain('made.txt'), content: '' })).rejects.toMatchObject({
      code: 'unknown_tool',
    });
  });

  it('goes on after a broken question, gives way only when asked to, and leaves its successor’s socket alone', async () => {
    const { createConnection } = await import('node:net');
    const peer = createConnection(socket());
    peer.write('{"tool":1}\n');
    let answer = '';
    for await (const part of peer) answer += String(part);
    expect(answer).toContain('"code":"invalid_params"');
    const args = [source('broker/main.ts'), '--state-dir', stateDir, '--folder', guarded];
    const second = spawn(process.execPath, args, { stdio: 'ignore' });
    expect((await once(second, 'exit'))[0]).toBe(1);
    const [first] = brokers;
    await startBroker('--replace');
    if (first) await end(first);
    expect(await call('herdr_fs_read', { path: plain('p.txt') })).toMatchObject({ ok: true });
  });
});
