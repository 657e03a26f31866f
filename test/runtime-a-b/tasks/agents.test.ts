import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskView } from '../../../contract/extension/index.ts';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import { type TestRuntime, tempFolder, testRuntime, until } from '../support/index.ts';
import { conversation, desk, PERSON, type Who } from './desk.ts';

/**
 * Scripted agents in real terminals of the embedded Herdr. Everything is dispatched at once, as a planner does, and looked
 * at when it has ended; each test then reads what became of one of them.
 */
const AGENTS = fileURLToPath(new URL('./agents', import.meta.url));
const NAMES = ['worker', 'shared', 'deaf', 'boaster', 'crasher', 'changeling', 'turncoat', 'boss'];
const [me, other] = [conversation('mine'), conversation('theirs')];

let herdr: Herdr;
let words: ReturnType<typeof tempFolder>;
let rt: TestRuntime;
const { dispatch, task, ended, inbox, call } = desk(() => rt);
const sent: Record<string, Record<string, unknown>> = {};
const ends: Record<string, TaskView> = {};
const panes: Record<string, string> = {};

beforeAll(async () => {
  const { PATH = '' } = process.env;
  words = tempFolder();
  herdr = await startHerdr({ env: { PATH: `${AGENTS}:${PATH}`, WORDS: words.path } });
  rt = await testRuntime({ herdrSocket: herdr.path });
  await Promise.all(
    [...NAMES.map((name) => [name, 'pi'] as const), ['asker', 'claude'] as const].map(async ([name, kind]) => {
      const pane = await herdr.open(name);
      panes[name] = pane.pane_id;
      await startAgent(herdr, pane, name, kind);
    }),
  );
  // A person's shell that starts its agent again whenever it has died.
  const loop = await herdr.open('loop');
  panes.loop = loop.pane_id;
  await herdr.call('pane.send_input', { pane_id: loop.pane_id, text: 'while :; do pi; done', keys: ['enter'] });
  await until('the agent of the loop', async () => {
    const { agents } = await herdr.call('agent.list', {});
    return agents.some(({ pane_id, agent }) => pane_id === loop.pane_id && agent === 'pi');
  });
  const dispatched = async (name: string, ...args: Parameters<typeof dispatch>) => {
    sent[name] = await dispatch(...args);
  };
  await Promise.all([
    dispatched('worker', 'worker', 'task count', PERSON, { parent_target: 'boss' }).then(async () => {
      await atWork('worker', PERSON);
      say('count');
    }),
    dispatched('first', 'shared', 'task first', me, { idempotency_key: 'once' }).then(async () => {
      await dispatched('second', 'shared', 'task second', other);
      await atWork('first', me);
      say('first');
      await until('the settle before', async () => (await task(sent.second?.task_id, other)).prior_settle_observed);
      say('first-rest');
      await atWork('second', other);
      say('second');
    }),
    dispatched('deaf', 'deaf', 'deaf to this', me),
    dispatched('boaster', 'boaster', 'claim', me),
    dispatched('crasher', 'crasher', 'crash early', me).then(async () => {
      await atWork('crasher', me);
      say('early');
    }),
    dispatched('changeling', 'changeling', 'crash late', me).then(async () => {
      await atWork('changeling', me);
      say('late');
      // As soon as it is gone, another kind of agent is started in its pane.
      const pane_id = panes.changeling ?? '';
      await until('the end of the first', async () => (await herdr.screen(pane_id)).includes('Killed'));
      await herdr.call('pane.send_input', { pane_id, text: 'claude', keys: ['enter'] });
    }),
    dispatched('turncoat', 'turncoat', 'become', other).then(async () => {
      await atWork('turncoat', other);
      say('become');
    }),
    dispatched('loop', loop.pane_id, 'falter', PERSON).then(async () => {
      await atWork('loop', PERSON);
      say('falter');
    }),
    dispatched('asker', 'asker', 'delete everything', me),
  ]);
  // The one that only says it is done goes on working until it is killed.
  await until('the boast', async () => (await screenOf('boaster')).includes('Task completed.'));
  await until('its work', async () => (await task(sent.boaster?.task_id, me)).lifecycle === 'running');
  const { agent } = await herdr.call('agent.get', { target: 'boaster' });
  const { process_info: processes } = await herdr.call('pane.process_info', { pane_id: agent.pane_id });
  sent.boasting = { ...(await task(sent.boaster?.task_id, me)) };
  process.kill(-(processes.foreground_process_group_id ?? Number.NaN), 'SIGKILL');
  for (const [name, who] of [
    ['worker', PERSON],
    ['first', me],
    ['second', other],
    ['deaf', me],
    ['boaster', me],
    ['crasher', me],
    ['changeling', me],
    ['turncoat', other],
    ['loop', PERSON],
    ['asker', me],
  ] as const) {
    ends[name] = await ended(sent[name]?.task_id, who);
  }
}, 120_000);
afterAll(async () => {
  await rt?.end();
  await endHerdr(herdr);
  words?.remove();
});

/** Lets an agent go on that waits for this word. */
const say = (word: string) => writeFileSync(join(words.path, word), '');

/** The agent was seen at this task: what it does from now on happens to a task that had begun. */
const atWork = (name: string, who: Who) =>
  until(`${name} at work`, async () => (await task(sent[name]?.task_id, who)).activity_observed);

const screenOf = (name: string) => herdr.screen(panes[name] ?? '');

describe('tasks of agents in real terminals', () => {
  it('are answered at once with one identity, and end as completed with the rows that were seen', () => {
    verifies('tasks.lifecycle');
    expect(sent.worker).toMatchObject({
      ok: true,
      submitted: true,
      turn_id: expect.stringMatching(/^turn:agent:[0-9a-f]{32}$/),
      task: { exact_native_turn: false },
    });
    expect(sent.worker?.task_id).toBe(sent.worker?.dispatch_id);
    expect(ends.worker).toMatchObject({
      lifecycle: 'completed',
      reason: 'settled_after_activity',
      activity_observed: true,
      exact_native_turn: false,
      evidence: { rows: expect.arrayContaining(['> answered: task count']) },
    });
  });

  it('of an agent that was still at its earlier turn begin after that has settled: two parents, one agent', async () => {
    verifies('tasks.lifecycle', 'tasks.inbox');
    expect(sent.second).toMatchObject({ turn_start: 'unverifiable', task: { lifecycle: 'awaiting_prior_settle' } });
    expect(ends.first).toMatchObject({ lifecycle: 'completed', prior_settle_observed: false });
    expect(ends.second).toMatchObject({ lifecycle: 'completed', prior_settle_observed: true, activity_observed: true });
    expect(ends.second?.evidence?.rows).toContain('> answered: task second');
    expect(Number(ends.second?.terminal_at_ms)).toBeGreaterThan(Number(ends.first?.terminal_at_ms));
    const [mine, theirs] = [await inbox(me), await inbox(other)];
    expect(theirs.tasks.map(({ task_id }) => task_id)).toEqual([sent.turncoat?.task_id, sent.second?.task_id]);
    expect(mine.tasks.map(({ task_id }) => task_id)).not.toContain(sent.second?.task_id);
  });

  it('that never begin are not known, never working, and not sent again', async () => {
    verifies('tasks.lifecycle');
    expect(ends.deaf).toMatchObject({
      lifecycle: 'delivery_uncertain',
      reason: 'activity_start_timeout',
      activity_observed: false,
    });
    const again = await dispatch('shared', 'task first', me, {
      idempotency_key: 'once',
      wait: { timeout_ms: 500 },
    });
    expect(again).toMatchObject({ task_id: sent.first?.task_id, idempotent_replay: true });
  });

  it('are not completed by an agent that says so', () => {
    verifies('tasks.lifecycle');
    expect(sent.boasting).toMatchObject({ lifecycle: 'running', terminal: false });
    expect(ends.boaster).toMatchObject({ lifecycle: 'failed', reason: 'agent_exited' });
  });

  it('are not completed by a crash, nor by another agent in the same pane, and the evidence is there', () => {
    verifies('tasks.lifecycle');
    expect(ends.crasher).toMatchObject({ lifecycle: 'failed', reason: 'agent_exited' });
    expect(ends.crasher?.evidence?.rows.join('\n')).toContain('I will just');
    expect(ends.changeling).toMatchObject({
      lifecycle: 'failed',
      reason: expect.stringMatching(/^agent_(exited|replaced)$/),
    });
    // The same process, which sits quietly in front of its new prompt.
    expect(ends.loop).toMatchObject({ activity_observed: true });
    expect(`${ends.loop?.lifecycle} ${ends.loop?.reason}`).toMatch(
      /^(failed agent_(exited|restarted)|delivery_uncertain agent_came_back)$/,
    );
    expect(ends.turncoat).toMatchObject({ lifecycle: 'failed', reason: 'agent_replaced', activity_observed: true });
  });

  it('end as blocked when the agent asks', () => {
    verifies('tasks.lifecycle');
    expect(ends.asker).toMatchObject({ lifecycle: 'blocked', terminal_status: 'blocked' });
    expect(ends.asker?.evidence?.rows.join('\n')).toContain('Do you want to proceed?');
  });

  it('wait in the inbox, the worst first, each with its next step, until they are acknowledged', async () => {
    verifies('tasks.inbox');
    const { tasks, summary, truncated } = await inbox(me);
    expect(tasks.map(({ lifecycle }) => lifecycle)).toEqual([
      'failed',
      'failed',
      'failed',
      'delivery_uncertain',
      'blocked',
      'completed',
    ]);
    expect(summary).toEqual({ running: 0, completed: 1, blocked: 1, failed: 3, uncertain: 1 });
    expect(truncated).toBe(false);
    expect(tasks.map(({ next }) => next).every((next) => next.length > 20)).toBe(true);
    expect(tasks.at(-1)?.next).toContain('herdr_git');
    const theirs = await call('ack', { task_id: sent.second?.task_id }, me);
    expect(theirs).toMatchObject({ ok: false, code: 'agent_task_parent_mismatch' });
    expect(await call('status', { task_id: sent.second?.task_id }, me)).toMatchObject({ ok: false });
    expect(await call('ack', { task_id: sent.first?.task_id }, me)).toMatchObject({ ok: true, already: false });
    expect(await call('ack', { task_id: sent.first?.task_id }, me)).toMatchObject({ ok: true, already: true });
    expect((await inbox(me)).tasks).toHaveLength(5);
    expect((await inbox(me, { include_acknowledged: true })).tasks).toHaveLength(6);
  });

  it('are told to a local parent once, in one prompt, when it is idle', async () => {
    verifies('tasks.inbox');
    const told = await until('the wake', async () => {
      const now = await task(sent.worker?.task_id, PERSON);
      return now.notification_state === 'delivered' ? now : undefined;
    });
    expect(told.acknowledged).toBe(false);
    const { pane_id } = (await herdr.call('agent.get', { target: 'boss' })).agent;
    await until('the wake at work', async () => /Working|answered/.test(await herdr.screen(pane_id)));
    const { dispatches } = (
      await rt.call('herdr_call', { method: 'herdr_mcp.dispatch.status', params: '{"last":50}' }, PERSON)
    ).json as { dispatches: { principal: string; tool: string; target: string }[] };
    expect(dispatches.filter(({ principal }) => principal === 'end of agent tasks')).toEqual([
      expect.objectContaining({ tool: 'herdr_prompt', target: pane_id }),
    ]);
    const own = await inbox(PERSON, { parent_target: 'boss' });
    expect(own.tasks.map(({ task_id }) => task_id)).toEqual([sent.worker?.task_id]);
    const ack = { task_id: sent.worker?.task_id };
    expect(await call('ack', { ...ack, parent_target: 'worker' }, PERSON)).toMatchObject({
      code: 'agent_task_parent_mismatch',
    });
    expect(await call('ack', { ...ack, parent_target: 'boss' }, PERSON)).toMatchObject({ ok: true });
    expect((await inbox(PERSON, { parent_target: 'boss' })).tasks).toEqual([]);
  });

  it('cannot have their own agent as the parent, nor one that is not there', async () => {
    const itself = await dispatch('worker', 'hello', PERSON, { parent_target: 'worker' });
    expect(itself).toMatchObject({ code: 'invalid_params', delivery: 'not_delivered' });
    const nobody = await dispatch('worker', 'hello', PERSON, { parent_target: 'nobody' });
    expect(nobody).toMatchObject({ code: 'agent_not_found', delivery: 'not_delivered' });
  });
});
