/** Two real generations on one state folder, as they are while a build is staged. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { saveConfig } from '../../local/config/index.ts';
import { askRunning, changeDesired, type Generation, writePointer } from '../../runtime-a-b/generations/index.ts';
import { verifies } from '../verifies.ts';
import { ask, follow, socketOf } from './http/extension/client.ts';
import {
  agent,
  type Called,
  callOver,
  envelopeFor,
  type FakeHerdr,
  fakeHerdr,
  newId,
  pane,
  snapshotOf,
  type TestRuntime,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from './support/index.ts';

let folder: ReturnType<typeof tempFolder>;
let stateDir: string;
let project: string;
let herdr: FakeHerdr;
const runtimes: Partial<Record<Generation, TestRuntime>> = {};

beforeAll(async () => {
  folder = tempFolder();
  stateDir = join(folder.path, 'state');
  project = join(folder.path, 'project');
  mkdirSync(project);
  execFileSync('git', ['init', '-q', '-b', 'main', project]);
  herdr = await fakeHerdr({
    'session.snapshot': () =>
      snapshotOf({
        workspaces: [workspace('w1')],
        panes: [pane('w1:p1', { cwd: project, foreground_cwd: project })],
        agents: [agent('w1:p1', { agent: 'claude', agent_status: 'working' })],
      }),
  });
  for (const generation of ['a', 'b'] as const) {
    runtimes[generation] = await testRuntime({ stateDir, generation, herdrSocket: herdr.path });
  }
  await point('a');
});
afterAll(async () => {
  for (const runtime of Object.values(runtimes)) await runtime.end();
  await herdr.stop();
  folder.remove();
});
beforeEach(() => resume());

let moves = 0;
const point = (generation: Generation) => {
  moves += 1;
  const port = runtimes[generation]?.runtime.record.port ?? 0;
  return writePointer(stateDir, { schema: 1, generation, port, revision: moves });
};
const pause = () => changeDesired(stateDir, (now) => ({ ...now, paused: { since_ms: Date.now() } }));
const resume = () => changeDesired(stateDir, ({ paused: _, ...now }) => now);
const call = (generation: Generation, tool: string, args: Record<string, unknown> = {}): Promise<Called> =>
  (runtimes[generation] as TestRuntime).call(tool, args);

describe('pause', () => {
  it('refuses the very next call of every kind, in every generation, and says who can end it', async () => {
    verifies('ab.pause');
    for (const generation of ['a', 'b'] as const) expect((await call(generation, 'herdr_inspect')).json.ok).toBe(true);
    await pause();
    for (const generation of ['a', 'b'] as const) {
      for (const [tool, args] of [
        ['herdr_inspect', {}],
        ['herdr_exec', { workspace: 'w1', confirm_busy: true, command: `touch ${join(project, 'never')}` }],
        ['herdr_call', { method: 'pane.list' }],
      ] as const) {
        const { json, envelope } = await call(generation, tool, args);
        expect(json).toMatchObject({ ok: false, code: 'paused', delivery: 'not_delivered', retryable: false });
        expect(json.next).toContain('herdr-mcp resume');
        expect(envelope).toMatchObject({ delivery: 'not_delivered', code: 'paused' });
      }
      expect((await call(generation, 'herdr_fs_list', { path: project })).json.code).toBe('paused');
    }
    await resume();
    const listed = await call('a', 'herdr_exec', { workspace: 'w1', confirm_busy: true, command: 'ls' });
    expect(listed.json).toMatchObject({ ok: true, exit_code: 0, output: expect.not.stringContaining('never') });
  });

  it('does not end what runs, and lists it: calls, commands, agents', async () => {
    verifies('ab.pause');
    const started = await call('a', 'herdr_exec_start', {
      root: project,
      confirm_busy: true,
      command: 'sleep 600',
    });
    const release = join(project, 'go');
    const waiting = call('a', 'herdr_exec', {
      workspace: 'w1',
      confirm_busy: true,
      command: `until [ -e ${release} ]; do [ -d ${project} ] || exit 9; sleep 0.05; done; echo done`,
    });
    await until('what was asked for shows', async () =>
      (await askRunning(stateDir)).some(({ calls }) => calls.length > 0),
    );
    await pause();
    const [a, b] = await askRunning(stateDir);
    expect(a).toMatchObject({ generation: 'a', answers: true, calls: [{ tool: 'herdr_exec', principal: 'ChatGPT' }] });
    expect(a?.sessions).toContainEqual(
      expect.objectContaining({ session_id: started.json.session_id, own: true, root: project }),
    );
    expect(a?.agents).toEqual([{ pane: 'w1:p1', agent: 'claude', status: 'working' }]);
    expect(b).toMatchObject({ generation: 'b', calls: [] });
    expect(b?.sessions.map(({ own }) => own)).not.toContain(true);
    execFileSync('touch', [release]);
    expect((await waiting).json).toMatchObject({ ok: true, exit_code: 0 });
    await resume();
    await call('b', 'herdr_exec_kill', { session_id: started.json.session_id });
  });

  it('still tells a write that ran before what became of it', async () => {
    verifies('ab.pause');
    const args = { workspace: 'w1', confirm_busy: true, command: 'echo once >> written' };
    const envelope = envelopeFor('herdr_exec', args, { dispatch_id: newId() });
    const { fetch } = runtimes.a as TestRuntime;
    expect((await callOver(fetch, envelope, args)).json.ok).toBe(true);
    await pause();
    const again = await callOver(fetch, envelope, args);
    expect(again.json).toMatchObject({ ok: true });
    expect(readFileSync(join(project, 'written'), 'utf8')).toBe('once\n');
  });

  it('also by its idempotency key, and lets nothing else through by one', async () => {
    verifies('ab.pause');
    const args = { workspace: 'w1', confirm_busy: true, command: 'echo key >> keyed', idempotency_key: 'once' };
    expect((await call('a', 'herdr_exec', args)).json.ok).toBe(true);
    await pause();
    expect((await call('a', 'herdr_exec', args)).json).toMatchObject({ ok: true, idempotent_replay: true });
    expect((await call('b', 'herdr_exec', args)).json).toMatchObject({ ok: true, idempotent_replay: true });
    expect((await call('a', 'herdr_exec', { ...args, command: 'echo other >> keyed' })).json).toMatchObject({
      ok: false,
      code: 'idempotency_key_conflict',
    });
    for (const [tool, given] of [
      ['herdr_exec', { ...args, idempotency_key: 'another' }],
      ['herdr_call', { method: 'pane.list', idempotency_key: 'once' }],
    ] as const)
      expect((await call('a', tool, given)).json.code).toBe('paused');
    expect(readFileSync(join(project, 'keyed'), 'utf8')).toBe('key\n');
  });
});

describe('what a generation started stays within reach of the other', () => {
  it('a command is read, waited for and ended from there', async () => {
    verifies('ab.generations');
    const { json } = await call('a', 'herdr_exec_start', {
      root: project,
      confirm_busy: true,
      command: 'echo begun; sleep 60',
    });
    const read = async () => (await call('b', 'herdr_exec_read', { session_id: json.session_id })).json;
    await until('what was asked for shows', async () => String((await read()).text).includes('begun'));
    expect((await call('b', 'herdr_exec_kill', { session_id: json.session_id })).json).toMatchObject({ ok: true });
    await until('what was asked for shows', async () => (await read()).running === false);
  });

  it('the extension’s socket follows the pointer: streams end, and the next is the other’s', async () => {
    verifies('ab.generations');
    const boot = async () => {
      const { body } = await ask(socketOf(stateDir), '/push/state').catch(() => ({
        body: {} as Record<string, unknown>,
      }));
      return body.boot_id;
    };
    const bootOf = (generation: Generation) => runtimes[generation]?.runtime.record.boot_id;
    await until('what was asked for shows', async () => (await boot()) === bootOf('a'));
    const stream = await follow(socketOf(stateDir));
    await point('b');
    await stream.ended;
    await until('what was asked for shows', async () => (await boot()) === bootOf('b'));
    await point('a');
    await until('what was asked for shows', async () => (await boot()) === bootOf('a'));
  });
});

describe('config.json', () => {
  it('takes effect with the next call: read-only mode and write roots', async () => {
    const write = () => call('a', 'herdr_exec', { workspace: 'w1', confirm_busy: true, command: 'true' });
    const file = join(stateDir, 'config.json');
    await saveConfig(file, { policy: { read_only: true } });
    expect((await write()).json.code).toBe('readonly_mode');
    await saveConfig(file, { policy: { write_roots: ['/nowhere'] } });
    expect((await write()).json.code).toBe('root_not_whitelisted');
    await saveConfig(file, {});
    expect((await write()).json.ok).toBe(true);
  });
});
