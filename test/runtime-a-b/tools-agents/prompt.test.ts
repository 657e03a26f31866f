import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
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
  until,
  workspace,
} from '../support/index.ts';

const AGENTS = fileURLToPath(new URL('./agents', import.meta.url));

describe('prompting an agent in a real terminal', () => {
  let herdr: Herdr;
  let rt: TestRuntime;
  beforeAll(async () => {
    const { PATH = '' } = process.env;
    const { default: path } = await import('node:path');
    const scripted = path.resolve(AGENTS, '../../../embedded-herdr/agents');
    herdr = await startHerdr({ env: { PATH: `${AGENTS}:${scripted}:${PATH}` } });
    rt = await testRuntime({ herdrSocket: herdr.path });
  }, 60_000);
  afterAll(async () => {
    await rt.end();
    await endHerdr(herdr);
  });

  async function started(name: string, kind: string): Promise<AgentInfo> {
    const shell = await herdr.open(name);
    return startAgent(herdr, shell, name, kind);
  }

  it('types the text once, sees the turn begin and waits for its end when asked', async () => {
    verifies('runtime.prompt');
    await started('worker', 'pi');
    const { json } = await rt.call('herdr_prompt', {
      target: 'worker',
      text: 'count the files',
      wait: { until: ['idle', 'done'], timeout_ms: 20_000 },
    });
    expect(json).toMatchObject({
      ok: true,
      submitted: true,
      turn_start: 'seen',
      input_box: 'not_judged',
      before: { agent_status: expect.stringMatching(/idle|done/) },
      wait: { reached: true, timed_out: false, effective_timeout_ms: 20_000 },
    });
    expect(json.ref).toMatch(/^herdr_ref_/);
    const screen = await herdr.screen(String(json.resolved_pane));
    expect(screen.match(/answered: count the files/g)).toHaveLength(1);
  }, 60_000);

  it('does not let an embedded end of paste out of the prompt', async () => {
    verifies('runtime.prompt');
    await started('careful', 'pi');
    const { json } = await rt.call('herdr_prompt', {
      target: 'careful',
      text: 'say\u001b[201~quit',
      wait: { timeout_ms: 20_000 },
    });
    expect(json).toMatchObject({ ok: true, removed_control_characters: 1 });
    expect(await herdr.screen(String(json.resolved_pane))).toContain('answered: say[201~quit');
  }, 60_000);

  it('leaves a person’s half-typed line alone and sends nothing', async () => {
    verifies('runtime.prompt');
    const { pane_id } = await started('builder', 'claude');
    await herdr.call('pane.send_text', { pane_id, text: 'could you also rename the' });
    await until('the draft', async () => (await herdr.screen(pane_id)).includes('rename the'));
    const before = await herdr.screen(pane_id);
    const args = { target: 'builder', text: 'Run the unit tests.', idempotency_key: 'p1' };
    const { envelope, json } = await rt.call('herdr_prompt', args);
    expect(envelope).toMatchObject({ ok: false, delivery: 'not_delivered' });
    expect(json).toMatchObject({
      code: 'agent_input_not_empty',
      evidence: '❯ could you also rename the',
      resolved_pane: pane_id,
    });
    expect(await herdr.screen(pane_id)).toBe(before);

    // Cleared by its owner, the same call with the same key goes through: it had done nothing.
    await herdr.call('agent.send_keys', { target: 'builder', keys: ['ctrl+u'] });
    await until('an empty box', async () => !(await herdr.screen(pane_id)).includes('rename the'));
    const again = await rt.call('herdr_prompt', args);
    expect(again.json).toMatchObject({ ok: true, input_box: 'empty', turn_start: 'seen' });
    await until('the answer', async () => (await herdr.screen(pane_id)).includes('answered: Run the unit tests.'));
  }, 60_000);

  it('does not take the echo of its own last prompt for somebody’s line', async () => {
    verifies('runtime.prompt');
    const { pane_id } = await started('echoing', 'codex');
    const first = await rt.call('herdr_prompt', { target: 'echoing', text: 'line1\nline2\nline3' });
    expect(first.json).toMatchObject({ ok: true, turn_start: 'seen' });
    await until('the echo', async () => /❯ line1\s+line2/.test(await herdr.screen(pane_id)));
    const second = await rt.call('herdr_prompt', { target: 'echoing', text: 'and then this' });
    expect(second.json).toMatchObject({ ok: true, submitted: true, input_box: 'not_judged' });
    await until('the second prompt', async () => (await herdr.screen(pane_id)).includes('and then this'));
  }, 60_000);

  it('serialises two prompts for one pane: neither becomes part of the other', async () => {
    const { pane_id } = await started('queue', 'pi');
    const both = await Promise.all(
      ['first task', 'second task'].map((text) => rt.call('herdr_prompt', { target: 'queue', text })),
    );
    expect(both.map(({ json }) => json.submitted ?? json.code)).toEqual([true, true]);
    await until('the second answer', async () => (await herdr.screen(pane_id)).includes('answered: second task'));
  }, 60_000);

  it('says accepted, start not seen, and the same key returns that instead of typing again', async () => {
    verifies('runtime.prompt', 'tasks.lifecycle');
    const { pane_id } = await started('deaf', 'claude');
    const args = { target: 'deaf', text: 'deaf to this', idempotency_key: 'p2' };
    const { envelope, json } = await rt.call('herdr_prompt', args);
    expect(envelope.delivery).toBe('delivered');
    expect(json).toMatchObject({
      ok: true,
      submitted: true,
      turn_start: 'not_seen',
      task: { lifecycle: 'awaiting_activity' },
    });
    expect(json.status).toBeUndefined();
    const again = await rt.call('herdr_prompt', { ...args, wait: { timeout_ms: 1000 } });
    expect(again.json).toMatchObject({ turn_start: 'not_seen', idempotent_replay: true, task_id: json.task_id });
    // Whoever waits is told what was seen by then, and the task ends as what it is: not known.
    const waited = await rt.call('herdr_prompt', { target: 'deaf', text: 'deaf', wait: { timeout_ms: 1000 } });
    expect(waited.json).toMatchObject({ code: 'agent_start_not_seen', input_box_now: 'empty', retryable: false });
    const params = JSON.stringify({ task_id: json.task_id });
    await until('the end of the task', async () => {
      const { json: status } = await rt.call('herdr_call', { method: 'herdr_mcp.agent.task.status', params });
      return (status.task as { reason: string }).reason === 'activity_start_timeout';
    });
    expect(await herdr.screen(pane_id)).not.toContain('Working');
  }, 60_000);
});

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
