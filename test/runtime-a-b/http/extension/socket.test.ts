import { existsSync, lstatSync, symlinkSync, unlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statePaths } from '../../../../local/paths/index.ts';
import { verifies } from '../../../verifies.ts';
import {
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../../support/index.ts';
import { ask, follow, socketOf } from './client.ts';

let herdr: FakeHerdr;
let rt: TestRuntime;
let socket: string;
beforeAll(async () => {
  herdr = await fakeHerdr({
    'session.snapshot': () => snapshotOf({ workspaces: [workspace('w1')], panes: [pane('w1:p1')] }),
  });
  rt = await testRuntime({ herdrSocket: herdr.path });
  socket = socketOf(rt.stateDir);
  await until('the first picture', async () => (await ask(socket, '/push/state')).body.workspaces);
});
afterAll(async () => {
  await rt.end();
  await herdr.stop();
});

describe('the extension socket', () => {
  it('is private, needs no bearer, and is named in /health', async () => {
    verifies('herdr.push');
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    expect((await ask(socket, '/push/state')).status).toBe(200);
    const health = (await (await fetch(`${rt.url}/health`)).json()) as Record<string, unknown>;
    expect(health.extension_socket).toBe('serving');
  });

  it.each([
    '/',
    '/health',
    '/facts',
    '/call',
    '/held',
    '/push',
    '/push/state/',
    '/push/%73tate',
    '//push/state',
    '/push/../facts',
  ])('serves the listed paths only: not %s', async (path) => {
    const { status, body } = await ask(socket, path, { headers: { authorization: `Bearer ${rt.token}` } });
    expect([status, body.code]).toEqual([404, 'path_not_allowed']);
  });

  it('takes no other method', async () => {
    expect((await ask(socket, '/push/state', { method: 'POST', body: '{}' })).status).toBe(405);
  });

  it('the same paths are refused over TCP, with and without the bearer', async () => {
    verifies('herdr.push');
    for (const path of ['/push/state', '/push/events', '/push/events?workspace=w1', '/extension/fleet']) {
      expect([path, (await fetch(rt.url + path)).status]).toEqual([path, 401]);
      const known = await rt.fetch(path);
      expect([path, known.status, ((await known.json()) as { code: string }).code]).toEqual([
        path,
        403,
        'extension_socket_only',
      ]);
    }
  });

  it('serves the tools to the extension, who is named in the receipt', async () => {
    verifies('herdr.push', 'runtime.audit');
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const call = (name: string, args: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
      return ask(socket, '/mcp', { method: 'POST', headers, body });
    };
    const answer = await call('herdr_since', {});
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: 1, result: { isError: false } });
    await call('herdr_call', { method: 'pane.focus', params: JSON.stringify({ pane_id: 'w1:p1' }) });
    const file = new DatabaseSync(statePaths(rt.stateDir).database, { readOnly: true });
    const receipts = file.prepare('SELECT tool, principal_kind, principal_id FROM operations').all();
    file.close();
    expect(receipts).toEqual([{ tool: 'herdr_call', principal_kind: 'local', principal_id: 'extension' }]);
  });

  it('the state has boot, place in the list of events, time and what is open', async () => {
    const { body } = await ask(socket, '/push/state');
    expect(body).toMatchObject({
      boot_id: expect.stringMatching(/^boot_/),
      state_seq: expect.any(Number),
      server_time: expect.any(Number),
      herdr: { state: 'live', problem: null },
      agents: [],
      workspaces: [{ id: 'w1', label: 'w1', roots: [], panes: ['w1:p1'] }],
    });
    const panes = body.panes as Record<string, unknown>[];
    expect(panes).toMatchObject([{ pane_id: 'w1:p1', workspace_id: 'w1' }]);
    expect(panes[0]).not.toHaveProperty('revision');
  });

  it('a stream begins with retry and hello', async () => {
    const stream = await follow(socket, '?browser_endpoint_ref=bep_1&workspace=w1');
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(stream.text()).toMatch(/^retry: 2000\n/);
    expect(stream.events[0]).toMatchObject({
      event: 'hello',
      data: {
        protocol: 'herdr-mcp-push/v1',
        boot_id: expect.stringMatching(/^boot_/),
        filters: { workspace: 'w1' },
        agents: [],
        workspaces: [{ id: 'w1' }],
      },
    });
    stream.close();
  });
});

describe('the extension socket from start to end', () => {
  it('is handed from one generation to the next, and its streams end', async () => {
    verifies('herdr.push');
    const folder = tempFolder();
    const stateDir = join(folder.path, 'state');
    const path = socketOf(stateDir);
    const a = await testRuntime({ stateDir, generation: 'a', herdrSocket: herdr.path });
    const b = await testRuntime({ stateDir, generation: 'b', herdrSocket: herdr.path });
    const boot = async () => (await ask(path, '/push/state')).body.boot_id;
    const health = async () =>
      ((await (await fetch(`${b.url}/health`)).json()) as Record<string, unknown>)['extension_socket'];
    expect(await boot()).toBe(a.runtime.record.boot_id);
    expect(await health()).toBe('extension_socket_live');
    const stream = await follow(path);
    await a.runtime.stop();
    await stream.ended;
    await until('the next generation', async () => (await health()) === 'serving');
    expect(await boot()).toBe(b.runtime.record.boot_id);
    await b.runtime.stop();
    expect(existsSync(path)).toBe(false);
    folder.remove();
  });

  it('a symlink in its place stops only the socket, until it is removed', async () => {
    const folder = tempFolder();
    const stateDir = join(folder.path, 'state');
    await mkdir(stateDir, { mode: 0o700 });
    const path = socketOf(stateDir);
    symlinkSync(join(folder.path, 'elsewhere'), path);
    const one = await testRuntime({ stateDir, herdrSocket: herdr.path });
    const health = async () =>
      ((await (await fetch(`${one.url}/health`)).json()) as Record<string, unknown>)['extension_socket'];
    expect(await health()).toBe('extension_socket_refused');
    unlinkSync(path);
    await until('the socket', async () => (await health()) === 'serving');
    await one.runtime.stop();
    folder.remove();
  });
});
