import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import { type TestRuntime, testRuntime, until } from '../support/index.ts';

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
