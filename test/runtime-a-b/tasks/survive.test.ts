import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { callOver, envelopeFor, type TestRuntime, tempFolder, testRuntime, until } from '../support/index.ts';
import { conversation, desk, PERSON } from './desk.ts';
import { type Scripted, scriptedHerdr } from './scripted.ts';

/** Tasks whose runtime stops, is killed, is changed for the other generation, or whose Herdr goes away. */
const MAIN = fileURLToPath(new URL('../../../runtime-a-b/main.ts', import.meta.url));
const me = conversation('mine');

let folder: ReturnType<typeof tempFolder>;
let herdr: Scripted;
let rt: TestRuntime;
const running: TestRuntime[] = [];
const children: ChildProcess[] = [];
const { dispatch, task, ended, inbox, call } = desk(() => rt);

const stateDir = () => join(folder.path, 'state');
async function start(generation: 'a' | 'b' = 'a'): Promise<TestRuntime> {
  const made = await testRuntime({ herdrSocket: herdr.server.path, stateDir: stateDir(), generation });
  running.push(made);
  return made;
}
async function stop(one: TestRuntime): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.end();
}

beforeEach(async () => {
  folder = tempFolder();
  herdr = await scriptedHerdr(['child', 'boss']);
  herdr.onPrompt = (name) => herdr.set(name, 'working');
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.end();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await herdr.server.stop();
  folder.remove();
});

const typed = (name: string) => herdr.prompts.filter(({ target }) => target === name);
const moreLooks = (count: number) => {
  const until_ = herdr.looks + count;
  return until('more looks', () => herdr.looks >= until_);
};

describe('a task outlives', () => {
  it('its runtime: a turn that ended meanwhile is seen by its number, and nothing is sent again', async () => {
    verifies('tasks.lifecycle');
    rt = await start();
    const settled = await dispatch('child', 'work', me);
    expect(settled).toMatchObject({ turn_start: 'seen', task: { lifecycle: 'running' } });
    herdr.onPrompt = () => {};
    const unseen = await dispatch('boss', 'begins while nobody looks', me);
    expect(unseen).toMatchObject({ turn_start: 'not_seen', task: { lifecycle: 'awaiting_activity' } });
    await stop(rt);
    herdr.set('child', 'done');
    herdr.shortTurn('boss');
    rt = await start();
    expect(await ended(settled.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    expect(await ended(unseen.task_id, me)).toMatchObject({ lifecycle: 'completed', activity_observed: true });
    expect((await inbox(me)).summary).toMatchObject({ running: 0, completed: 2 });
    expect(herdr.prompts).toHaveLength(2);
  });

  it('a switch of generations: one drives, both know, and the end is told once', async () => {
    verifies('tasks.lifecycle', 'tasks.inbox');
    const a = await start('a');
    const b = await start('b');
    rt = b;
    const first = await dispatch('child', 'through b', PERSON, { parent_target: 'boss' });
    herdr.set('child', 'idle');
    await ended(first.task_id, PERSON);
    await until('the wake', async () => (await task(first.task_id, PERSON)).notification_state === 'delivered');
    expect(typed('boss')).toHaveLength(1);
    expect(typed('boss')[0]?.text).toContain(String(first.task_id));
    rt = a;
    expect(await task(first.task_id, PERSON)).toMatchObject({
      lifecycle: 'completed',
      notification_state: 'delivered',
    });
    herdr.set('boss', 'idle');

    const second = await dispatch('child', 'through a', PERSON, { parent_target: 'boss' });
    await stop(a);
    rt = b;
    herdr.set('child', 'idle');
    await ended(second.task_id, PERSON);
    await until('the second wake', async () => (await task(second.task_id, PERSON)).notification_state === 'delivered');
    expect(typed('boss')).toHaveLength(2);
    expect(typed('child')).toHaveLength(2);
  });

  it('a kill while it drives, and one while the prompt is on its way: then nobody knows, and it is not sent again', async () => {
    verifies('tasks.lifecycle');
    const child = spawn(
      process.execPath,
      [MAIN, '--port', '0', '--generation', 'a', '--state-dir', stateDir(), '--herdr-socket', herdr.server.path],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    children.push(child);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    await until('the ready line', () => out.includes('\n'));
    const { port } = JSON.parse(out) as { port: number };
    rt = await start('b');
    const send = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization: `Bearer ${rt.token}` } });
    const through = (target: string) => {
      const args = {
        method: 'herdr_mcp.agent.task.dispatch',
        params: JSON.stringify({ target, text: 'work', idempotency_key: target }),
      };
      return callOver(send, envelopeFor('herdr_call', args, me), args);
    };
    const { json } = await through('child');
    // Herdr takes the second prompt and never gets to answer.
    const answer = herdr.server.methods['agent.prompt'];
    herdr.server.methods['agent.prompt'] = ({ params }) => {
      herdr.prompts.push({ target: 'boss', text: String(params.text) });
      return undefined;
    };
    const lost = through('boss').catch((error: unknown) => error);
    await until('the prompt on its way', () => typed('boss').length === 1);
    child.kill('SIGKILL');
    await lost;
    if (answer) herdr.server.methods['agent.prompt'] = answer;
    herdr.set('child', 'idle');
    expect(await ended(json.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    const { tasks } = await until('the other one', async () => {
      const now = await inbox(me);
      return now.tasks.length === 2 ? now : undefined;
    });
    expect(tasks[0]).toMatchObject({ lifecycle: 'delivery_uncertain', reason: 'dispatch_interrupted', target: 'boss' });
    expect(herdr.prompts).toHaveLength(2);
  });

  it('a Herdr that goes away: no time runs out meanwhile; a new one under the same address has other terminals', async () => {
    verifies('tasks.lifecycle');
    rt = await start();
    const kept = await dispatch('child', 'work', me);
    const lost = await dispatch('boss', 'work', me);
    herdr.away = true;
    const { json } = await until('the loss', async () => {
      const seen = await rt.call('herdr_inspect', {});
      return (seen.json.herdr as { state: string }).state === 'stale' ? seen : undefined;
    });
    expect(json).toBeDefined();
    expect(await task(kept.task_id, me)).toMatchObject({ lifecycle: 'running' });
    const boss = herdr.agents.get('boss');
    if (boss) herdr.agents.set('boss', { ...boss, terminal_id: 'term_new', agent_status: 'idle', state_change_seq: 1 });
    herdr.set('child', 'idle');
    herdr.away = false;
    expect(await ended(kept.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    expect(await ended(lost.task_id, me)).toMatchObject({
      lifecycle: 'failed',
      reason: expect.stringMatching(/^(terminal_replaced|agent_exited)$/),
    });
  });
});

describe('what is seen only look by look', () => {
  it('a turn between two looks is one, a pause of one look is no end', async () => {
    verifies('tasks.lifecycle');
    rt = await start();
    const flapping = await dispatch('child', 'with pauses', me);
    herdr.onPrompt = (name) => herdr.shortTurn(name);
    const short = await dispatch('boss', 'quick', me);
    for (let i = 0; i < 3; i++) {
      // Idle for one look, and at work again for the next.
      herdr.set('child', 'idle');
      const seen = herdr.looks;
      herdr.onLook = () => {
        if (herdr.looks > seen + 1) {
          herdr.onLook = () => {};
          herdr.set('child', 'working');
        }
      };
      await moreLooks(3);
      expect(await task(flapping.task_id, me)).toMatchObject({ lifecycle: 'running', terminal: false });
    }
    expect(await ended(short.task_id, me)).toMatchObject({ lifecycle: 'completed', terminal_status: 'idle' });
    herdr.set('child', 'idle');
    const { terminal_event_id: first } = await ended(flapping.task_id, me);
    herdr.set('child', 'working');
    await moreLooks(2);
    herdr.leave('child');
    await moreLooks(4);
    expect(await task(flapping.task_id, me)).toMatchObject({ lifecycle: 'completed', terminal_event_id: first });
  });

  it('the next prompt right after a settle is the next turn, not the going on of the one before', async () => {
    verifies('tasks.lifecycle');
    rt = await start();
    const first = await dispatch('child', 'one', me);
    herdr.set('child', 'idle');
    const second = await dispatch('child', 'two', me);
    expect(second).toMatchObject({ turn_start: 'seen', task: { lifecycle: 'running' } });
    expect(await task(first.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    herdr.set('child', 'done');
    expect(await ended(second.task_id, me)).toMatchObject({ lifecycle: 'completed', prior_settle_observed: false });
  });

  it('another kind of agent in the same terminal is not the one that was asked', async () => {
    verifies('tasks.lifecycle');
    rt = await start();
    const sent = await dispatch('child', 'work', me);
    const now = herdr.agents.get('child');
    if (now) herdr.agents.set('child', { ...now, agent: 'codex', agent_status: 'done', state_change_seq: 999 });
    expect(await ended(sent.task_id, me)).toMatchObject({ lifecycle: 'failed', reason: 'agent_replaced' });
  });
});

describe('a local parent', () => {
  it('is told when it is idle, of everything at once, and not of what it has taken note of', async () => {
    verifies('tasks.inbox');
    rt = await start();
    herdr.set('boss', 'working');
    const first = await dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    herdr.set('child', 'idle');
    await ended(first.task_id, PERSON);
    const second = await dispatch('child', 'two', PERSON, { parent_target: 'boss' });
    herdr.set('child', 'blocked');
    await ended(second.task_id, PERSON);
    herdr.set('child', 'idle');
    const third = await dispatch('child', 'three', PERSON, { parent_target: 'boss' });
    herdr.set('child', 'idle');
    await ended(third.task_id, PERSON);
    expect(await call('ack', { task_id: third.task_id, parent_target: 'boss' }, PERSON)).toMatchObject({ ok: true });
    expect(typed('boss')).toEqual([]);
    herdr.set('boss', 'idle');
    await until('the wake', async () => (await task(first.task_id, PERSON)).notification_state === 'delivered');
    const [wake, ...more] = typed('boss');
    expect(more).toEqual([]);
    expect(wake?.text).toContain(`${String(second.task_id)} blocked`);
    expect(wake?.text).toContain(`${String(first.task_id)} completed`);
    expect(wake?.text).not.toContain(String(third.task_id));
    expect(await task(third.task_id, PERSON)).toMatchObject({ notification_state: 'acknowledged' });
  });

  it('whose answer was lost is not told twice, and a half-typed line of a person is left alone', async () => {
    verifies('tasks.inbox');
    rt = await start();
    const answer = herdr.server.methods['agent.prompt'];
    const read = herdr.server.methods['pane.read'];
    const first = await dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    const rule = '─'.repeat(20);
    herdr.server.methods['pane.read'] = () => ({
      type: 'pane_read',
      read: { text: `${rule}\n❯ half a line of mine\n${rule}` },
    });
    herdr.set('child', 'idle');
    const refused = await until('the refused wake', async () => {
      const { json } = await rt.call('herdr_call', { method: 'herdr_mcp.dispatch.status', params: '{}' }, PERSON);
      const wakes = (json.dispatches as { principal: string; code?: string }[]).filter(
        ({ principal }) => principal === 'end of agent tasks',
      );
      return wakes[0]?.code === 'agent_input_not_empty' && wakes;
    });
    expect(refused).toHaveLength(1);
    expect(typed('boss')).toEqual([]);
    expect(await task(first.task_id, PERSON)).toMatchObject({ notification_state: 'pending' });
    await call('ack', { task_id: first.task_id }, PERSON);

    if (read) herdr.server.methods['pane.read'] = read;
    const second = await dispatch('child', 'two', PERSON, { parent_target: 'boss' });
    herdr.server.methods['agent.prompt'] = ({ params }, socket) => {
      herdr.prompts.push({ target: 'boss', text: String(params.text) });
      return void socket.destroy();
    };
    herdr.set('child', 'idle');
    await until(
      'the uncertain wake',
      async () => (await task(second.task_id, PERSON)).notification_state === 'uncertain',
    );
    if (answer) herdr.server.methods['agent.prompt'] = answer;
    await moreLooks(4);
    expect(typed('boss')).toHaveLength(1);
    expect((await inbox(PERSON, { parent_target: 'boss' })).tasks.map(({ task_id }) => task_id)).toEqual([
      second.task_id,
    ]);
  });
});
