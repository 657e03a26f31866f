import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import {
  agent,
  FakeError,
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  tab,
  testRuntime,
  workspace,
} from '../support/index.ts';

describe('prompting over a scripted server', () => {
  let herdr: FakeHerdr;
  let rt: TestRuntime;
  let present: AgentInfo;
  beforeAll(async () => {
    herdr = await fakeHerdr({
      'session.snapshot': () =>
        snapshotOf({
          workspaces: [workspace('w1')],
          tabs: [tab('w1:t1')],
          panes: [pane('w1:p1'), pane('w1:p2')],
          agents: [present],
        }),
      'agent.list': () => ({ type: 'agent_list', agents: [present] }),
      'agent.get': () => ({ type: 'agent_info', agent: present }),
      'pane.read': () => ({ type: 'pane_read', read: { pane_id: 'w1:p1', text: '' } }),
    });
    present = agent('w1:p1', { name: 'builder' });
    rt = await testRuntime({ herdrSocket: herdr.path });
  });
  afterAll(async () => {
    await rt.end();
    await herdr.stop();
  });
  const prompts = () => herdr.requests.filter(({ method }) => method === 'agent.prompt');
  const prompt = (args: object = {}) => rt.call('herdr_prompt', { target: 'builder', text: 'go', ...args });

  it('says unknown when the answer was lost, with what can be seen, and never sends again', async () => {
    verifies('runtime.prompt');
    herdr.methods['agent.prompt'] = (_, socket) => {
      socket.destroy();
      return undefined;
    };
    const before = prompts().length;
    const first = await prompt({ idempotency_key: 'lost' });
    expect(first.json).toMatchObject({
      code: 'delivery_uncertain',
      delivery: 'unknown',
      retryable: false,
      after: { agent_status: 'idle' },
    });
    expect((await prompt({ idempotency_key: 'lost' })).json).toMatchObject({
      code: 'delivery_uncertain',
      idempotent_replay: true,
    });
    expect(prompts()).toHaveLength(before + 1);
  });

  it.each(['agent_not_ready', 'agent_not_found', 'empty_agent_prompt'])(
    'knows that %s came before anything was typed',
    async (code) => {
      herdr.methods['agent.prompt'] = () => new FakeError(code);
      expect((await prompt()).json).toMatchObject({ ok: false, delivery: 'not_delivered', herdr_code: code });
    },
  );

  it('says of an agent that worked before that nothing can be told apart', async () => {
    present = agent('w1:p1', { name: 'builder', agent_status: 'working', state_change_seq: 7 });
    herdr.methods['agent.prompt'] = () => ({ type: 'agent_prompted', agent: present });
    expect((await prompt()).json).toMatchObject({ ok: true, turn_start: 'unverifiable', status: 'working' });
    present = agent('w1:p1', { name: 'builder' });
  });

  it('never answers a question of the agent by prompting it', async () => {
    const before = prompts().length;
    present = agent('w1:p1', { name: 'builder', agent_status: 'blocked', state_change_seq: 7 });
    expect((await prompt()).json).toMatchObject({
      code: 'agent_not_ready',
      delivery: 'not_delivered',
      agent_status: 'blocked',
    });
    present = agent('w1:p1', { name: 'builder' });
    expect(prompts()).toHaveLength(before);
  });

  it('refuses an agent that is still starting and one that another has replaced', async () => {
    const before = prompts().length;
    herdr.methods['agent.get'] = () => ({ type: 'agent_info', agent: { ...present, launch_pending: true } });
    expect((await prompt()).json).toMatchObject({ code: 'agent_not_ready', delivery: 'not_delivered' });
    herdr.methods['agent.get'] = () => ({ type: 'agent_info', agent: { ...present, terminal_id: 'term_new' } });
    expect((await prompt()).json).toMatchObject({ code: 'agent_not_found', delivery: 'not_delivered' });
    herdr.methods['agent.get'] = () => ({ type: 'agent_info', agent: present });
    expect(prompts()).toHaveLength(before);
  });

  it.each([
    ['nobody', 'agent_not_found'],
    ['claude', 'agent_not_found'],
    ['w1:p2', 'agent_not_found'],
  ])('refuses %s with %s and names the agents that there are', async (target, code) => {
    const { json } = await prompt({ target });
    expect(json).toMatchObject({ code, delivery: 'not_delivered', candidates: [{ name: 'builder', pane: 'w1:p1' }] });
  });

  it('refuses a prompt of control characters alone', async () => {
    expect((await prompt({ text: '\u001b\u0003' })).json).toMatchObject({
      code: 'invalid_params',
      delivery: 'not_delivered',
    });
  });

  it('goes the same way through herdr_call agent.prompt', async () => {
    herdr.methods['pane.read'] = () => ({
      type: 'pane_read',
      read: { pane_id: 'w1:p1', text: `${'─'.repeat(20)}\n❯ draft\n${'─'.repeat(20)}` },
    });
    const before = prompts().length;
    const { json } = await rt.call('herdr_call', {
      method: 'agent.prompt',
      params: '{"target":"builder","text":"go"}',
    });
    expect(json.code).toBe('agent_input_not_empty');
    expect(prompts()).toHaveLength(before);
    herdr.methods['pane.read'] = () => ({ type: 'pane_read', read: { pane_id: 'w1:p1', text: '' } });
  });

  it('tells its own echo from its own unsent text and from somebody’s, and each refusal says how to go on', async () => {
    verifies('runtime.prompt');
    const shows = (text: string) => {
      herdr.methods['pane.read'] = () => ({ type: 'pane_read', read: { pane_id: 'w1:p1', text } });
    };
    present = agent('w1:p1', { name: 'builder', agent_status: 'working', state_change_seq: 7 });
    herdr.methods['agent.prompt'] = () => ({ type: 'agent_prompted', agent: present });
    shows('');
    expect((await prompt({ text: 'line1\nline2' })).json).toMatchObject({ ok: true });
    shows('❯ line1\nline2\nWorking...');
    expect((await prompt({ text: 'next' })).json).toMatchObject({ ok: true, input_box: 'not_judged' });

    const before = prompts().length;
    shows('❯ line1 and half a li');
    const theirs = (await prompt()).json;
    expect(theirs).toMatchObject({ code: 'agent_input_not_empty', evidence: '❯ line1 and half a li' });
    expect(theirs.message).toContain('somebody typed');
    expect(theirs.next).toMatch(/pane\.read.*go on with work/);
    const rule = '─'.repeat(20);
    shows(`${rule}\n❯ line1\n  line2\n${rule}`);
    const ours = (await prompt()).json;
    expect(ours).toMatchObject({ code: 'agent_input_not_empty', whose: 'an earlier prompt through herdr_prompt' });
    expect(ours.message).not.toContain('somebody');
    expect(ours.next).toMatch(/pane\.read.*send_keys.*enter/);
    expect(prompts()).toHaveLength(before);
    shows('');
    present = agent('w1:p1', { name: 'builder' });
  });

  it('states how long it waited at most when the wait runs out, and still says submitted', async () => {
    verifies('runtime.prompt');
    herdr.methods['agent.prompt'] = () => {
      present = agent('w1:p1', { name: 'builder', agent_status: 'working', state_change_seq: 9 });
      return { type: 'agent_prompted', agent: present };
    };
    const { json } = await prompt({ wait: { until: ['done'], timeout_ms: 600 } });
    expect(json).toMatchObject({
      ok: true,
      submitted: true,
      turn_start: 'seen',
      wait: { reached: false, timed_out: true, effective_timeout_ms: 600 },
    });
  });
});
