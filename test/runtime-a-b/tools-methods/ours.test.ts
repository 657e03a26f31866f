/** What `herdr_call` answers beside Herdr’s own methods, where it keeps to the owner’s roots, and the list of all methods. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { fakeHerdr, pane, snapshotOf, tab, tempFolder, testRuntime, until, workspace } from '../support/index.ts';
import { call, herdr, rt } from './shop.ts';

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
