import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { program } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { callOver, envelopeFor, until } from '../support/index.ts';
import { PERSON, type Who } from './desk.ts';
import { me, place } from './place.ts';

/** Tasks whose runtime stops, is killed, is changed for the other generation, or whose Herdr goes away. */
const MAIN = await program('runtime');
const at = place();

/** A process that imports the whole runtime from its sources; a machine that does ten other things needs most of it. */
const START_MS = 90_000;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Generation A as a process that can be killed, and a way to dispatch through it; `rt` of the place is generation B. */
async function killable() {
  const options = ['--port', '0', '--generation', 'a', '--state-dir', at.stateDir];
  const child = spawn(process.execPath, [MAIN, ...options, '--herdr-socket', at.herdr.server.path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
  });
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  await until('the ready line, or an end', () => out.includes('\n') || child.exitCode !== null, START_MS);
  if (out === '') throw new Error(`the runtime has ended with ${child.exitCode}: ${err}`);
  const { port } = JSON.parse(out) as { port: number };
  at.rt = await at.start('b');
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization: `Bearer ${at.rt.token}` } });
  return {
    kill: () => child.kill('SIGKILL'),
    dispatch(target: string, who: Who, more: object = {}) {
      const params = JSON.stringify({ target, text: 'work', idempotency_key: target, ...more });
      const args = { method: 'herdr_mcp.agent.task.dispatch', params };
      return callOver(send, envelopeFor('herdr_call', args, who), args);
    },
  };
}

/** Herdr takes the next prompts and never gets to answer; the returned function ends that. */
function swallowPrompts(): () => void {
  const answer = at.herdr.server.methods['agent.prompt'];
  at.herdr.server.methods['agent.prompt'] = ({ params }) => {
    at.herdr.prompts.push({ target: 'boss', text: String(params.text) });
    return undefined;
  };
  return () => {
    if (answer) at.herdr.server.methods['agent.prompt'] = answer;
  };
}

// Processes are started and killed here: a busy machine takes seconds for each.
describe('a task outlives', { timeout: 180_000 }, () => {
  it('its runtime: a turn that ended meanwhile is seen by its number, and nothing is sent again', async () => {
    verifies('tasks.lifecycle');
    at.rt = await at.start();
    const settled = await at.dispatch('child', 'work', me);
    expect(settled).toMatchObject({ turn_start: 'seen', task: { lifecycle: 'running' } });
    at.herdr.onPrompt = () => {};
    const unseen = await at.dispatch('boss', 'begins while nobody looks', me);
    expect(unseen).toMatchObject({ turn_start: 'not_seen', task: { lifecycle: 'awaiting_activity' } });
    await at.stop(at.rt);
    at.herdr.set('child', 'done');
    at.herdr.shortTurn('boss');
    at.rt = await at.start();
    expect(await at.ended(settled.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    expect(await at.ended(unseen.task_id, me)).toMatchObject({ lifecycle: 'completed', activity_observed: true });
    expect((await at.inbox(me)).summary).toMatchObject({ running: 0, completed: 2 });
    expect(at.herdr.prompts).toHaveLength(2);
  });

  it('a switch of generations: one drives, both know, and the end is told once', async () => {
    verifies('tasks.lifecycle', 'tasks.inbox');
    const a = await at.start('a');
    const b = await at.start('b');
    at.rt = b;
    const first = await at.dispatch('child', 'through b', PERSON, { parent_target: 'boss' });
    at.herdr.set('child', 'idle');
    await at.ended(first.task_id, PERSON);
    await until('the wake', async () => (await at.task(first.task_id, PERSON)).notification_state === 'delivered');
    expect(at.typed('boss')).toHaveLength(1);
    expect(at.typed('boss')[0]?.text).toContain(String(first.task_id));
    at.rt = a;
    expect(await at.task(first.task_id, PERSON)).toMatchObject({
      lifecycle: 'completed',
      notification_state: 'delivered',
    });
    at.herdr.set('boss', 'idle');

    const second = await at.dispatch('child', 'through a', PERSON, { parent_target: 'boss' });
    await at.stop(a);
    at.rt = b;
    at.herdr.set('child', 'idle');
    await at.ended(second.task_id, PERSON);
    await until(
      'the second wake',
      async () => (await at.task(second.task_id, PERSON)).notification_state === 'delivered',
    );
    expect(at.typed('boss')).toHaveLength(2);
    expect(at.typed('child')).toHaveLength(2);
  });

  it('a kill while it drives, and one while the prompt is on its way: then nobody knows, and it is not sent again', async () => {
    verifies('tasks.lifecycle');
    const a = await killable();
    const { json } = await a.dispatch('child', me);
    const restore = swallowPrompts();
    const lost = a.dispatch('boss', me).catch((error: unknown) => error);
    await until('the prompt on its way', () => at.typed('boss').length === 1);
    a.kill();
    await lost;
    restore();
    at.herdr.set('child', 'idle');
    expect(await at.ended(json.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    const { tasks } = await until('the other one', async () => {
      const now = await at.inbox(me);
      return now.tasks.length === 2 && now;
    });
    expect(tasks[0]).toMatchObject({ lifecycle: 'delivery_uncertain', reason: 'dispatch_interrupted', target: 'boss' });
    expect(at.herdr.prompts).toHaveLength(2);
  });

  it('a kill while its parent is being told: the wake is not typed a second time', async () => {
    verifies('tasks.inbox');
    const a = await killable();
    const { json } = await a.dispatch('child', PERSON, { parent_target: 'boss' });
    const restore = swallowPrompts();
    at.herdr.set('child', 'idle');
    await until('the wake on its way', () => at.typed('boss').length === 1);
    a.kill();
    restore();
    const told = await until('what became of it', async () => {
      const now = await at.task(json.task_id, PERSON);
      return now.notification_state === 'uncertain' && now;
    });
    expect(told).toMatchObject({ lifecycle: 'completed', acknowledged: false });
    await at.moreLooks(3);
    expect(at.typed('boss')).toHaveLength(1);
    expect((await at.inbox(PERSON, { parent_target: 'boss' })).tasks).toMatchObject([{ task_id: json.task_id }]);
  });

  it('a Herdr that goes away: no time runs out meanwhile; a new one under the same address has other terminals', async () => {
    verifies('tasks.lifecycle');
    at.rt = await at.start();
    const kept = await at.dispatch('child', 'work', me);
    const lost = await at.dispatch('boss', 'work', me);
    at.herdr.away = true;
    const { json } = await until('the loss', async () => {
      const seen = await at.rt.call('herdr_inspect', {});
      return (seen.json.herdr as { state: string }).state === 'stale' ? seen : undefined;
    });
    expect(json).toBeDefined();
    expect(await at.task(kept.task_id, me)).toMatchObject({ lifecycle: 'running' });
    const boss = at.herdr.agents.get('boss');
    if (boss)
      at.herdr.agents.set('boss', { ...boss, terminal_id: 'term_new', agent_status: 'idle', state_change_seq: 1 });
    at.herdr.set('child', 'idle');
    at.herdr.away = false;
    expect(await at.ended(kept.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    expect(await at.ended(lost.task_id, me)).toMatchObject({
      lifecycle: 'failed',
      reason: expect.stringMatching(/^(terminal_replaced|agent_exited)$/),
    });
  });
});
