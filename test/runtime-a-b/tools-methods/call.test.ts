import { mkdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { verifies } from '../../verifies.ts';
import {
  DEVICE,
  FakeError,
  type FakeHerdr,
  fakeHerdr,
  PONG,
  pane,
  snapshotOf,
  type TestRuntime,
  tab,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../support/index.ts';

let herdr: FakeHerdr;
let rt: TestRuntime;
beforeEach(async () => {
  herdr = await fakeHerdr({
    'session.snapshot': () =>
      snapshotOf({ workspaces: [workspace('w1', { label: 'shop' })], tabs: [tab('w1:t1')], panes: [pane('w1:p1')] }),
    'pane.close': () => ({ type: 'ok' }),
  });
  rt = await testRuntime({ herdrSocket: herdr.path });
});
afterEach(async () => {
  await rt.end();
  await herdr.stop();
});

const call = (method: string, params?: unknown, more = {}) =>
  rt.call('herdr_call', {
    method,
    ...(params === undefined ? {} : { params: typeof params === 'string' ? params : JSON.stringify(params) }),
    ...more,
  });
const sent = (method: string) => herdr.requests.filter((request) => request.method === method);

describe('herdr_call', () => {
  it('passes a checked call on once and gives back Herdr’s result', async () => {
    verifies('runtime.methods');
    const { json } = await call('pane.close', { pane_id: 'w1:p1' });
    expect(json).toMatchObject({ ok: true, method: 'pane.close', result: { type: 'ok' } });
    expect(sent('pane.close')).toMatchObject([{ params: { pane_id: 'w1:p1' } }]);
  });

  it.each([
    ['pane.close', { pane_ID: 'w1:p1' }, 'invalid_params'],
    ['pane.close', '{', 'invalid_params_json'],
    ['pane.close', '[]', 'invalid_params'],
    ['pane.close', `{"pane_id":"w1:p1\\ud800"}`, 'invalid_params'],
    ['pane.explode', {}, 'unknown_method'],
    ['events.subscribe', { subscriptions: [] }, 'unknown_method'],
    ['plugin.link', { path: '/x' }, 'not_yet_available'],
  ])('sends nothing for %s %j and answers %s', async (method, params, code) => {
    verifies('runtime.methods');
    await rt.call('herdr_inspect');
    const { json } = await call(method, params);
    expect(json).toMatchObject({ ok: false, code, delivery: 'not_delivered' });
    expect(sent(method).filter(({ id }) => id !== 'events')).toEqual([]);
  });

  it.each(['pane.close', 'workspace.list', 'herdr_mcp.exec.wait', 'herdr_mcp.agent.task.dispatch'])(
    'refuses parameters of %s that are nested without end',
    async (method) => {
      verifies('runtime.bad-input');
      await rt.call('herdr_inspect');
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const { json } = await call(method, `{"x":${open.repeat(50_000)}1${close.repeat(50_000)}}`);
        expect(json).toMatchObject({ ok: false, code: 'invalid_params', delivery: 'not_delivered' });
        expect(json.message).toContain('nested');
      }
      expect(sent(method)).toEqual([]);
    },
  );

  it.each([
    ['herdr_mcp.exec.explode', 'unknown_local_method'],
    ['herdr_mcp.', 'unknown_local_method'],
    ['continuity.explode', 'unknown_local_method'],
    ['work_memory.bind_all', 'unknown_local_method'],
    ['artifact.steal', 'unknown_local_method'],
    ['toString', 'unknown_method'],
    ['herdr_mcp.constructor', 'unknown_local_method'],
    ['herdr_mcp.agent.task.cancel', 'unknown_local_method'],
    ['herdr_mcp.browser_session.rename', 'unknown_local_method'],
  ])('never forwards %s', async (method, code) => {
    verifies('main.not-yet-available');
    await rt.call('herdr_inspect');
    expect((await call(method, {})).json.code).toBe(code);
    expect(sent(method)).toEqual([]);
  });

  it('resolves refs of this workstation and refuses those of another one or of another Herdr', async () => {
    const { json } = await rt.call('herdr_inspect');
    const { ref } = (json.panes as { ref: string }[])[0] ?? { ref: '' };
    expect((await call('pane.close', { pane_id: ref })).json.ok).toBe(true);
    expect(sent('pane.close')).toMatchObject([{ params: { pane_id: 'w1:p1' } }]);
    for (const foreign of [
      encodeRef({ device: 'dev_X', pane: 'w1:p1' }),
      encodeRef({ device: DEVICE, pane: 'embedded/w1:p1' }),
    ]) {
      expect((await call('pane.close', { pane_id: foreign })).json.code).toBe('device_ref_conflict');
    }
    expect(sent('pane.close')).toHaveLength(1);
  });

  it('keeps Herdr’s own code and words as facts', async () => {
    herdr.methods['pane.close'] = () => new FakeError('pane_not_found', 'there is no pane w1:p1');
    expect((await call('pane.close', { pane_id: 'w1:p1' })).json).toMatchObject({
      code: 'herdr_error',
      herdr_code: 'pane_not_found',
      herdr_message: 'there is no pane w1:p1',
      delivery: 'delivered',
    });
  });

  it('says unknown when a write’s answer was lost, and does not try again', async () => {
    verifies('runtime.methods');
    herdr.methods['pane.close'] = (_, socket) => {
      socket.destroy();
      return undefined;
    };
    expect((await call('pane.close', { pane_id: 'w1:p1' })).json).toMatchObject({
      code: 'herdr_unavailable',
      delivery: 'unknown',
      retryable: false,
    });
    expect(sent('pane.close')).toHaveLength(1);
  });

  it('asks about worktree.remove before it passes it on', async () => {
    herdr.methods['worktree.list'] = () => ({ type: 'worktree_list', source: {}, worktrees: [] });
    expect((await call('worktree.remove', { workspace_id: 'w1' })).json).toMatchObject({
      code: 'confirmation_required',
      reason: 'confirmation_required',
    });
    expect(sent('worktree.remove')).toEqual([]);
  });

  it('does not stop Herdr under the person', async () => {
    expect((await call('server.stop', {})).json).toMatchObject({
      code: 'confirmation_required',
      next: expect.stringContaining('pane.close'),
    });
    expect(sent('server.stop')).toEqual([]);
  });

  it('cuts a wait to what a call can hold and states it', async () => {
    herdr.methods['agent.wait'] = () => new FakeError('timeout', 'not reached');
    await call('agent.wait', { target: 'a', timeout_ms: 900_000 });
    herdr.methods['agent.wait'] = () => ({ type: 'agent_info', agent: {} });
    expect(
      (await call('agent.wait', { target: 'a', timeout_ms: 900_000 })).json.effective_timeout_ms,
    ).toBeLessThanOrEqual(40_000);
    for (const { params } of sent('agent.wait')) expect(params.timeout_ms).toBeLessThanOrEqual(40_000);
  });

  it('shows what a write changed to the very next call', async () => {
    const panes = [pane('w1:p1')];
    herdr.methods['session.snapshot'] = () => snapshotOf({ workspaces: [workspace('w1')], panes });
    herdr.methods['pane.split'] = () => {
      panes.push(pane('w1:p2'));
      return { type: 'pane_info', pane: pane('w1:p2') };
    };
    expect((await call('pane.split', { direction: 'down' })).json).toMatchObject({
      refs: { pane: expect.stringMatching(/^herdr_ref_/) },
    });
    expect((await rt.call('herdr_inspect')).json.panes).toHaveLength(2);
  });
});

describe('what Herdr allows', () => {
  it('only reads with a Herdr before 0.7.5', async () => {
    verifies('herdr.versions');
    herdr.methods.ping = () => ({ ...PONG, version: '0.7.3', protocol: 16 });
    herdr.methods['pane.get'] = () => ({ type: 'pane_info', pane: pane('w1:p1') });
    await until('the older version', async () => (await rt.call('herdr_inspect')).json.herdr_version === '0.7.3');
    expect((await call('pane.get', { pane_id: 'w1:p1' })).json.ok).toBe(true);
    expect((await call('pane.close', { pane_id: 'w1:p1' })).json).toMatchObject({
      code: 'herdr_too_old',
      delivery: 'not_delivered',
    });
    expect((await rt.call('herdr_prompt', { target: 'w1:p1', text: 'x' })).json.code).toBe('herdr_too_old');
  });

  it('only reads in read-only mode', async () => {
    const readOnly = await testRuntime({ herdrSocket: herdr.path, env: { HERDR_MCP_READONLY: '1' } });
    const args = { method: 'pane.close', params: '{"pane_id":"w1:p1"}' };
    expect((await readOnly.call('herdr_call', args)).json).toMatchObject({
      code: 'readonly_mode',
      reason: 'readonly_mode',
    });
    expect((await readOnly.call('herdr_prompt', { target: 'w1:p1', text: 'x' })).json.code).toBe('readonly_mode');
    expect((await readOnly.call('herdr_inspect')).json).toMatchObject({
      ok: true,
      workstation_info: { readonly: true },
    });
    expect(sent('pane.close')).toEqual([]);
    await readOnly.end();
  });

  it('nothing while there is no Herdr, in words that help', async () => {
    const alone = await testRuntime();
    for (const tool of ['herdr_inspect', 'herdr_call'] as const) {
      const { json } = await alone.call(
        tool,
        tool === 'herdr_call' ? { method: 'pane.close', params: '{"pane_id":"w1:p1"}' } : {},
      );
      expect(json).toMatchObject({
        code: 'herdr_unavailable',
        delivery: 'not_delivered',
        message: expect.stringContaining('there is no socket'),
      });
      expect(json.next).toContain('Start Herdr');
    }
    expect((await alone.call('herdr_since')).json).toMatchObject({ ok: true, herdr: { state: 'unknown' } });
    expect((await alone.call('herdr_skill')).json).toMatchObject({ ok: true, status: { herdr: { state: 'unknown' } } });
    await alone.end();
  });
});

describe('herdr_mcp.exec.wait', () => {
  it('gives output as soon as there is some, then the end, and knows no other session', async () => {
    const folder = tempFolder();
    const { execFileSync } = await import('node:child_process');
    execFileSync('git', ['init', '-q', folder.path]);
    herdr.methods['session.snapshot'] = () =>
      snapshotOf({ workspaces: [workspace('w1')], tabs: [tab('w1:t1')], panes: [pane('w1:p1', { cwd: folder.path })] });
    const started = await until('a start', async () => {
      const { json } = await rt.call('herdr_exec_start', {
        root: folder.path,
        command: 'echo first; sleep 1; echo second',
      });
      return json.ok === true ? json : undefined;
    });
    const wait = (offset: number) =>
      call('herdr_mcp.exec.wait', { session_id: started.session_id, offset, timeout_ms: 20_000 });
    const one = (await wait(0)).json;
    expect(one).toMatchObject({ ok: true, wait_timed_out: false, text: expect.stringMatching(/^first\n/) });
    const two = (await wait(Number(one.next_offset))).json;
    expect(`${one.text}${two.text}`).toBe('first\nsecond\n');
    await until('the end', async () => (await wait(Number(two.next_offset))).json.running === false);
    expect((await wait(0)).json).toMatchObject({ running: false, exit_code: 0, phase: 'completed' });
    expect((await call('herdr_mcp.exec.wait', { session_id: 'es_none' })).json.code).toBe('session_not_found');
    const { json } = await rt.call('herdr_inspect');
    expect(json.workstation_info).toMatchObject({
      exec_sessions: [{ session_id: started.session_id, program: 'echo', running: false, exit_code: 0 }],
    });
    folder.remove();
  });
});

describe('the owner’s write roots', () => {
  it('hold for what is typed into a shell and for new checkouts, also by a link, and not for words to an agent', async () => {
    verifies('gates.write');
    const folder = tempFolder();
    const [allowed, other] = ['allowed', 'other'].map((name) => `${folder.path}/${name}`) as [string, string];
    for (const path of [allowed, other]) mkdirSync(path);
    symlinkSync(other, `${allowed}/link`);
    const panes = [
      pane('w1:p1', { cwd: allowed }),
      pane('w1:p2', { cwd: other }),
      pane('w1:p3', { cwd: other, agent: 'claude' }),
      pane('w1:p4', { cwd: `${allowed}/link` }),
    ];
    const owned = await fakeHerdr({
      'session.snapshot': () => snapshotOf({ workspaces: [workspace('w1')], tabs: [tab('w1:t1')], panes }),
      'pane.send_text': () => ({ type: 'ok' }),
    });
    const limited = await testRuntime({ herdrSocket: owned.path, env: { HERDR_MCP_WRITE_ROOTS: allowed } });
    const code = async (method: string, params: object) => {
      const { json } = await limited.call('herdr_call', { method, params: JSON.stringify(params) });
      return json.ok === true ? 'passed on' : json.code;
    };
    expect(await code('pane.send_text', { pane_id: 'w1:p1', text: 'x' })).toBe('passed on');
    expect(await code('pane.send_text', { pane_id: 'w1:p2', text: 'x' })).toBe('root_not_whitelisted');
    expect(await code('pane.send_text', { pane_id: 'w1:p3', text: 'x' })).toBe('passed on');
    expect(await code('pane.send_text', { pane_id: 'w1:p4', text: 'x' })).toBe('root_not_whitelisted');
    for (const path of [`${other}/wt`, `${allowed}/link/new/wt`, `${allowed}/../other/wt`, undefined]) {
      expect(await code('worktree.create', { branch: 'b', path }), path).toBe('root_not_whitelisted');
    }
    const reached = owned.requests.filter(({ method }) => /send_text|worktree/.test(method));
    expect(reached.map(({ params }) => params)).toEqual([
      { pane_id: 'w1:p1', text: 'x' },
      { pane_id: 'w1:p3', text: 'x' },
    ]);
    await limited.end();
    await owned.stop();
    folder.remove();
  });
});

describe('herdr_methods', () => {
  it('lists Herdr’s methods and ours with access and parameters, and filters', async () => {
    verifies('runtime.methods');
    const { json } = await rt.call('herdr_methods');
    const methods = json.methods as { method: string; access: string; source: string; params: object }[];
    expect(methods.find(({ method }) => method === 'pane.close')).toMatchObject({
      access: 'write',
      params: { required: ['pane_id'] },
    });
    expect(methods.find(({ method }) => method === 'ping')).toMatchObject({ access: 'read', params: { empty: true } });
    expect(methods.find(({ method }) => method === 'herdr_mcp.dispatch.status')).toMatchObject({
      access: 'read',
      source: 'herdr_mcp_local',
    });
    expect(methods.some(({ method }) => method === 'events.subscribe')).toBe(false);
    expect(JSON.stringify(json).length).toBeLessThan(100_000);
    expect((await rt.call('herdr_methods', { query: 'WORKTREE.' })).json.count).toBe(4);
    expect((await rt.call('herdr_methods', { query: 'no such' })).json).toMatchObject({
      ok: true,
      count: 0,
      methods: [],
    });
  });

  it('uses the schema of the Herdr that runs when its command offers one', async () => {
    verifies('runtime.methods');
    const { fileURLToPath } = await import('node:url');
    const { writeFileSync, chmodSync } = await import('node:fs');
    const fixture = fileURLToPath(new URL('../../embedded-herdr/fixtures/herdr-api.schema.json', import.meta.url));
    const command = `${rt.stateDir}/herdr`;
    writeFileSync(
      command,
      `#!/bin/sh\n[ "$1 $2" = "api schema" ] && exec cat '${fixture}'\n[ "$1" = --skill ] && echo 'native words'\n`,
    );
    chmodSync(command, 0o755);
    const live = await testRuntime({ herdrSocket: herdr.path, env: { HERDR_BIN: command } });
    await live.call('herdr_inspect');
    const listed = await until('the live schema', async () => {
      const { json } = await live.call('herdr_methods', { query: 'pane.input.set' });
      return (json.methods as { source: string }[])[0]?.source === 'herdr_live' ? json : undefined;
    });
    expect(listed.herdr).toMatchObject({ schema: 'herdr_live' });
    herdr.methods['pane.input.set'] = () => ({ type: 'ok' });
    const bad = await live.call('herdr_call', { method: 'pane.input.set', params: '{"nope":1}' });
    expect(bad.json.code).toBe('invalid_params');
    expect((await live.call('herdr_skill')).json.native_reference).toEqual({
      included: true,
      content: 'native words\n',
    });
    expect((await live.call('herdr_skill', { include_native_reference: false })).json).not.toHaveProperty(
      'native_reference',
    );
    await live.end();
  });
});
