/** `herdr_call`: what it passes on, checks, refuses and says of an answer that was lost. */
import { describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { verifies } from '../../verifies.ts';
import { DEVICE, FakeError, PONG, pane, snapshotOf, testRuntime, until, workspace } from '../support/index.ts';
import { call, herdr, rt, sent } from './shop.ts';

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
