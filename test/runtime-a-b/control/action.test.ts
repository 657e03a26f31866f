/** What a person does to one pane from the Side Panel, over the private socket of a real runtime with a scripted Herdr. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlAnswer, LookupAnswer, PushPane } from '../../../contract/control/index.ts';
import type { AgentInfo, PaneInfo } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { ask, socketOf } from '../http/extension/client.ts';
import { agent, FakeError, type FakeHerdr, pane, type TestRuntime, testRuntime, until } from '../support/index.ts';
import { actedOn } from './acted-on.ts';

let herdr: FakeHerdr;
let rt: TestRuntime;
let socket: string;
let panes: PaneInfo[];
let agents: AgentInfo[];

beforeEach(async () => {
  const worker = { agent: 'claude', agent_status: 'working' as const };
  panes = [pane('w1:p1', worker), pane('w1:p2'), pane('w1:p3', { agent: 'codex', agent_status: 'idle' })];
  agents = [agent('w1:p1', worker), agent('w1:p3', { agent: 'codex' })];
  herdr = await actedOn(() => ({ panes, agents }));
  rt = await testRuntime({ herdrSocket: herdr.path });
  socket = socketOf(rt.stateDir);
  await until('the picture', async () => (await shown()).length === 3);
});
afterEach(async () => {
  await rt.end();
  await herdr.stop();
});

const shown = async () => ((await ask(socket, '/push/state')).body.panes ?? []) as PushPane[];
const revisionOf = async (id: string) => (await shown()).find(({ pane_id }) => pane_id === id)?.target_revision ?? '';
const post = async <T>(path: string, body: object) => {
  const { status, body: answer } = await ask(socket, path, { method: 'POST', body: JSON.stringify(body) });
  return { status, answer: answer as unknown as T };
};
let count = 0;
const newKey = () => `pa:${++count}`;

async function act(action: string, id: string, args: object = {}, more: object = {}): Promise<ControlAnswer> {
  const target = { pane_id: id, target_revision: await revisionOf(id) };
  const reads = ['details', 'recent_output', 'steer'].includes(action);
  const body = { action, target, args, ...(reads ? {} : { idempotency_key: newKey() }), ...more };
  return (await post<ControlAnswer>('/extension/control/action', body)).answer;
}

const sent = (method: string) => herdr.requests.filter((one) => one.method === method);

describe('reading a pane', () => {
  it('gives its last lines as text, bounded, and says what was cut', async () => {
    verifies('control-center.panel');
    const answer = await act('recent_output', 'w1:p2', { lines: 1, chars: 256 });
    expect(answer).toMatchObject({ ok: true, outcome: 'read', evidence: { text: '12 passed', lines: 1, cut: false } });
    expect(sent('pane.read').at(-1)?.params).toMatchObject({ source: 'recent_unwrapped', lines: 1, strip_ansi: true });
    const target = { pane_id: 'w1:p2', target_revision: await revisionOf('w1:p2') };
    for (const args of [{ lines: 81 }, { lines: 0 }, { chars: 255 }, { chars: 8_193 }]) {
      const refused = await post('/extension/control/action', { action: 'recent_output', target, args });
      expect(refused.status).toBe(400);
    }
  });

  it('gives its details', async () => {
    const { evidence } = await act('details', 'w1:p1');
    expect(evidence).toMatchObject({ pane: 'w1:p1', workspace: 'w1', kind: 'claude', status: 'working' });
  });
});

describe('the target', () => {
  it('acts only while the pane holds what was chosen', async () => {
    verifies('control-center.panel');
    const target = { pane_id: 'w1:p2', target_revision: await revisionOf('w1:p2') };
    panes = panes.map((one) => (one.pane_id === 'w1:p2' ? { ...one, terminal_id: 'term_new' } : one));
    const body = { action: 'terminal_input', target, idempotency_key: newKey(), args: { text: 'ls' } };
    const { answer } = await post<ControlAnswer>('/extension/control/action', body);
    expect(answer).toMatchObject({
      ok: false,
      outcome: 'stale_target',
      delivery_phase: 'not_submitted',
      evidence: { stale_reason: 'target_revision_changed' },
    });
    panes = panes.filter(({ pane_id: id }) => id !== 'w1:p2');
    const gone = await post<ControlAnswer>('/extension/control/action', { ...body, idempotency_key: newKey() });
    expect(gone.answer).toMatchObject({ outcome: 'stale_target', evidence: { stale_reason: 'pane_removed' } });
    expect(sent('pane.send_input')).toEqual([]);
  });

  it('is another one for another agent, session, terminal, place or runtime, and the same for a title', async () => {
    const before = await revisionOf('w1:p1');
    const variants: Partial<PaneInfo>[] = [
      { agent: 'codex' },
      { terminal_id: 'term_2' },
      { agent_session: { source: 'hook', agent: 'claude', kind: 'id', value: 's1' } },
    ];
    const original = panes;
    for (const change of variants) {
      panes = original.map((one) => (one.pane_id === 'w1:p1' ? { ...one, ...change } : one));
      herdr.push('pane.updated', {});
      await until('another revision', async () => (await revisionOf('w1:p1')) !== before);
    }
    panes = original.map((one) => (one.pane_id === 'w1:p1' ? { ...one, title: 'new', terminal_title: 'new' } : one));
    herdr.push('pane.updated', {});
    await until('the title', async () => (await shown()).some(({ title }) => title === 'new'));
    expect(await revisionOf('w1:p1')).toBe(before);
  });
});

describe('a prompt', () => {
  it('is typed once under its key, however often it is sent', async () => {
    verifies('control-center.panel');
    const target = { pane_id: 'w1:p3', target_revision: await revisionOf('w1:p3') };
    const body = { action: 'agent_prompt', target, idempotency_key: newKey(), args: { text: 'Look again.' } };
    const send = () => post<ControlAnswer>('/extension/control/action', body);
    const [first, second] = await Promise.all([send(), send()]);
    const third = await send();
    for (const { answer } of [first, second, third]) {
      expect(answer).toMatchObject({ ok: true, outcome: 'submitted', delivery_phase: 'observed' });
    }
    expect(sent('agent.prompt').map(({ params }) => params)).toEqual([{ target: 'w1:p3', text: 'Look again.' }]);
    const found = await post<LookupAnswer>('/extension/control/lookup', { idempotency_key: body.idempotency_key });
    expect(found.answer).toMatchObject({ state: 'settled', answer: { outcome: 'submitted' } });
  });

  it('says queued when the agent still works, and is refused where no agent is', async () => {
    expect(await act('agent_prompt', 'w1:p1', { text: 'And then?' })).toMatchObject({ ok: true, outcome: 'queued' });
    expect(await act('agent_prompt', 'w1:p2', { text: 'Hello?' })).toMatchObject({ ok: false, outcome: 'no_agent' });
    expect(sent('agent.prompt')).toHaveLength(1);
  });

  it('whose answer is lost is uncertain, stays so, and is not typed again', async () => {
    verifies('control-center.panel');
    herdr.methods['agent.prompt'] = (_, connection) => void connection.destroy();
    const target = { pane_id: 'w1:p3', target_revision: await revisionOf('w1:p3') };
    const body = { action: 'agent_prompt', target, idempotency_key: newKey(), args: { text: 'Once.' } };
    const { answer } = await post<ControlAnswer>('/extension/control/action', body);
    expect(answer).toMatchObject({ ok: false, outcome: 'uncertain', delivery_phase: 'uncertain' });
    expect(answer.next).toContain('before anything is sent again');
    const again = await post<ControlAnswer>('/extension/control/action', body);
    expect(again.answer.outcome).toBe('uncertain');
    const found = await post<LookupAnswer>('/extension/control/lookup', { idempotency_key: body.idempotency_key });
    expect(found.answer).toMatchObject({ state: 'settled', answer: { outcome: 'uncertain' } });
    expect(sent('agent.prompt')).toHaveLength(1);
  });
});

describe('steer', () => {
  it.each([
    ['w1:p2', {}, 'no_agent'],
    ['w1:p3', {}, 'no_active_turn'],
    ['w1:p1', {}, 'unsupported_provider'],
    ['w1:p1', { agent: 'codex' }, 'session_not_resolved'],
  ] as const)('of %s %j says %s, and nothing is typed', async (id, change, outcome) => {
    verifies('control-center.panel');
    panes = panes.map((one) => (one.pane_id === id ? { ...one, ...change } : one));
    agents = agents.map((one) => (one.pane_id === id ? { ...one, ...change } : one));
    herdr.push('pane.updated', {});
    await until('the change', async () => {
      const found = (await shown()).find(({ pane_id }) => pane_id === id);
      return Object.entries(change).every(([name, value]) => Reflect.get(found ?? {}, name) === value);
    });
    const answer = await act('steer', id);
    expect(answer).toMatchObject({ ok: false, outcome, delivery_phase: 'not_submitted' });
    expect(herdr.requests.filter(({ method }) => /prompt|send/.test(method))).toEqual([]);
  });
});

describe('a terminal', () => {
  it('gets one line and Enter, and no second line', async () => {
    verifies('control-center.panel');
    expect(await act('terminal_input', 'w1:p2', { text: 'npm test' })).toMatchObject({ outcome: 'submitted' });
    expect(sent('pane.send_input').map(({ params }) => params)).toEqual([
      { pane_id: 'w1:p2', text: 'npm test', keys: ['enter'] },
    ]);
    const target = { pane_id: 'w1:p2', target_revision: await revisionOf('w1:p2') };
    const two = { action: 'terminal_input', target, idempotency_key: newKey(), args: { text: 'a\nb' } };
    expect((await post('/extension/control/action', two)).status).toBe(400);
  });

  it('with an agent in it gets no line', async () => {
    const answer = await act('terminal_input', 'w1:p1', { text: 'ls' });
    expect(answer).toMatchObject({ ok: false, outcome: 'rejected', delivery_phase: 'not_submitted' });
    expect(sent('pane.send_input')).toEqual([]);
  });

  it.each([
    ['an answer that is lost', (_: unknown, connection: { destroy(): void }) => void connection.destroy(), 'uncertain'],
    ['a pane that is gone', () => new FakeError('pane_not_found'), 'stale_target'],
    ['another refusal', () => new FakeError('pty_write_failed'), 'failed'],
  ] as const)('%s', async (_, method, outcome) => {
    herdr.methods['pane.send_input'] = method as FakeHerdr['methods'][string];
    expect((await act('terminal_input', 'w1:p2', { text: 'ls' })).outcome).toBe(outcome);
    expect(sent('pane.send_input')).toHaveLength(1);
  });
});

describe('an interrupt', () => {
  it('is Ctrl-C, once, to an agent that works, after a yes', async () => {
    expect(await act('interrupt', 'w1:p1', { confirmed: true })).toMatchObject({
      outcome: 'submitted',
      evidence: { provider_interrupt: false },
    });
    expect(sent('pane.send_keys').map(({ params }) => params)).toEqual([{ pane_id: 'w1:p1', keys: ['ctrl+c'] }]);
    expect(await act('interrupt', 'w1:p3', { confirmed: true })).toMatchObject({
      ok: false,
      outcome: 'no_active_turn',
    });
    const target = { pane_id: 'w1:p1', target_revision: await revisionOf('w1:p1') };
    const unasked = { action: 'interrupt', target, idempotency_key: newKey(), args: {} };
    expect((await post('/extension/control/action', unasked)).status).toBe(400);
    expect(sent('pane.send_keys')).toHaveLength(1);
  });
});

describe('everything else', () => {
  it.each(['terminal_text', 'terminal_keys'])('%s is refused', async (action) => {
    const { outcome } = await act(action, 'w1:p2', { text: 'rm' });
    expect(outcome).toBe('raw_terminal_control_disabled');
  });

  it.each([
    ['herdr_method', { method: 'workspace.close', workspace_id: 'w1' }, 'workspace.close'],
    ['worktree.remove', { force: true }, 'worktree.remove'],
  ])('%s is described only', async (action, args, method) => {
    verifies('control-center.panel');
    const before = herdr.requests.length;
    const { body } = await ask(socket, '/extension/control/action', {
      method: 'POST',
      body: JSON.stringify({ action, args }),
    });
    expect(body).toMatchObject({
      ok: false,
      outcome: 'preview',
      evidence: { mode: 'dry_run', executable: false, method },
    });
    // The picture looks on meanwhile, and may only now follow what its agents do.
    const looks = ['session.snapshot', 'agent.list', 'ping', 'events.subscribe'];
    const names = herdr.requests.slice(before).map((one) => one.method);
    expect(names.filter((name) => !looks.includes(name))).toEqual([]);
  });

  it('without a key, without a target, or without an action nothing is done', async () => {
    const target = { pane_id: 'w1:p2', target_revision: await revisionOf('w1:p2') };
    const args = { text: 'ls' };
    for (const body of [
      { action: 'terminal_input', target, args },
      { action: 'terminal_input', idempotency_key: newKey(), args },
      { action: 'terminal_input', target: { ...target, target_revision: 'x' }, idempotency_key: newKey(), args },
      { target, args },
    ]) {
      expect((await post('/extension/control/action', body)).status).toBe(400);
    }
    expect(sent('pane.send_input')).toEqual([]);
  });

  it('is no tool: no door but the private route takes it', async () => {
    verifies('control-center.panel');
    const args = {
      action: 'terminal_input',
      target: { pane_id: 'w1:p2', target_revision: await revisionOf('w1:p2') },
      args: { text: 'ls' },
    };
    expect((await rt.call('herdr_control', args)).json).toMatchObject({ ok: false, code: 'unknown_tool' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'herdr_control', arguments: args } };
    const { answer } = await post<{ result: { content: { text: string }[] } }>('/mcp', call);
    expect(answer.result.content[0]?.text).toContain('unknown_tool');
    expect((await rt.fetch('/extension/control/action', { method: 'POST', body: '{}' })).status).toBe(403);
    expect(sent('pane.send_input')).toEqual([]);
  });

  it('a key that never came is unknown, and read-only mode lets reading go on', async () => {
    const found = await post<LookupAnswer>('/extension/control/lookup', { idempotency_key: 'pa:never' });
    expect(found.answer).toEqual({ ok: true, state: 'unknown' });
  });
});

describe('a read-only workstation', () => {
  it('is read and not acted on', async () => {
    await rt.end();
    rt = await testRuntime({ herdrSocket: herdr.path, env: { HERDR_MCP_READONLY: '1' } });
    socket = socketOf(rt.stateDir);
    await until('the picture', async () => (await shown()).length === 3);
    expect(await act('recent_output', 'w1:p2')).toMatchObject({ ok: true });
    expect(await act('terminal_input', 'w1:p2', { text: 'ls' })).toMatchObject({
      outcome: 'rejected',
      code: 'readonly_mode',
    });
    expect(sent('pane.send_input')).toEqual([]);
  });
});
