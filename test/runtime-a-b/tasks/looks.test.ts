import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { statePaths } from '../../../local/paths/index.ts';
import { verifies } from '../../verifies.ts';
import { newId, until } from '../support/index.ts';
import { PERSON } from './desk.ts';
import { me, place } from './place.ts';

const at = place();

describe('what is seen only look by look', { timeout: 60_000 }, () => {
  it('a turn between two looks is one, a pause of one look is no end', async () => {
    verifies('tasks.lifecycle');
    at.rt = await at.start();
    const flapping = await at.dispatch('child', 'with pauses', me);
    at.herdr.onPrompt = (name) => at.herdr.shortTurn(name);
    const short = await at.dispatch('boss', 'quick', me);
    for (let i = 0; i < 2; i++) {
      // Idle for one look, and at work again for the next.
      at.herdr.set('child', 'idle');
      const seen = at.herdr.looks;
      at.herdr.onLook = () => {
        if (at.herdr.looks > seen + 1) {
          at.herdr.onLook = () => {};
          at.herdr.set('child', 'working');
        }
      };
      await at.moreLooks(3);
      expect(await at.task(flapping.task_id, me)).toMatchObject({ lifecycle: 'running', terminal: false });
    }
    expect(await at.ended(short.task_id, me)).toMatchObject({ lifecycle: 'completed', terminal_status: 'idle' });
    at.herdr.set('child', 'idle');
    const { terminal_event_id: first } = await at.ended(flapping.task_id, me);
    at.herdr.set('child', 'working');
    await at.moreLooks(2);
    at.herdr.leave('child');
    await at.moreLooks(4);
    expect(await at.task(flapping.task_id, me)).toMatchObject({ lifecycle: 'completed', terminal_event_id: first });
  });

  it('the next prompt right after a settle is the next turn, not the going on of the one before', async () => {
    verifies('tasks.lifecycle');
    at.rt = await at.start();
    const first = await at.dispatch('child', 'one', me);
    at.herdr.set('child', 'idle');
    const second = await at.dispatch('child', 'two', me);
    expect(second).toMatchObject({ turn_start: 'seen', task: { lifecycle: 'running' } });
    expect(await at.task(first.task_id, me)).toMatchObject({ lifecycle: 'completed' });
    at.herdr.set('child', 'done');
    expect(await at.ended(second.task_id, me)).toMatchObject({ lifecycle: 'completed', prior_settle_observed: false });
  });

  it('another kind of agent in the same terminal is not the one that was asked', async () => {
    verifies('tasks.lifecycle');
    at.rt = await at.start();
    const sent = await at.dispatch('child', 'work', me);
    const now = at.herdr.agents.get('child');
    if (now) at.herdr.agents.set('child', { ...now, agent: 'codex', agent_status: 'done', state_change_seq: 999 });
    expect(await at.ended(sent.task_id, me)).toMatchObject({ lifecycle: 'failed', reason: 'agent_replaced' });
  });
});

describe('a local parent', { timeout: 60_000 }, () => {
  it('is told when it is idle, of everything at once, and not of what it has taken note of', async () => {
    verifies('tasks.inbox');
    at.rt = await at.start();
    at.herdr.set('boss', 'working');
    const first = await at.dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    at.herdr.set('child', 'idle');
    await at.ended(first.task_id, PERSON);
    const second = await at.dispatch('child', 'two', PERSON, { parent_target: 'boss' });
    at.herdr.set('child', 'blocked');
    await at.ended(second.task_id, PERSON);
    at.herdr.set('child', 'idle');
    const third = await at.dispatch('child', 'three', PERSON, { parent_target: 'boss' });
    at.herdr.set('child', 'idle');
    await at.ended(third.task_id, PERSON);
    expect(await at.call('ack', { task_id: third.task_id, parent_target: 'boss' }, PERSON)).toMatchObject({ ok: true });
    expect(at.typed('boss')).toEqual([]);
    at.herdr.set('boss', 'idle');
    await until('the wake', async () => (await at.task(first.task_id, PERSON)).notification_state === 'delivered');
    const [wake, ...more] = at.typed('boss');
    expect(more).toEqual([]);
    expect(wake?.text).toContain(`${String(second.task_id)} blocked`);
    expect(wake?.text).toContain(`${String(first.task_id)} completed`);
    expect(wake?.text).not.toContain(String(third.task_id));
    expect(await at.task(third.task_id, PERSON)).toMatchObject({ notification_state: 'acknowledged' });
  });

  it('is told in the pane that it has moved to', async () => {
    verifies('tasks.inbox');
    at.rt = await at.start();
    const sent = await at.dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    const boss = at.herdr.agents.get('boss');
    if (boss) at.herdr.agents.set('boss', { ...boss, workspace_id: 'w2', pane_id: 'w2:p1' });
    at.herdr.set('child', 'idle');
    await until('the wake', async () => (await at.task(sent.task_id, PERSON)).notification_state === 'delivered');
    expect(at.typed('boss')).toHaveLength(1);
  });

  it('that left before its wake was sent is not stood in for by whoever sits in its pane now', async () => {
    verifies('tasks.inbox');
    at.rt = await at.start();
    at.herdr.set('boss', 'working');
    const sent = await at.dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    at.herdr.set('child', 'idle');
    await at.ended(sent.task_id, PERSON);
    await at.stop(at.rt);
    // As a kill leaves it between the claim of a wake and its dispatch.
    const file = new DatabaseSync(statePaths(at.stateDir).database);
    file.exec(`UPDATE agent_tasks SET notification_state = 'in_flight', wake_dispatch_id = '${newId()}'`);
    file.close();
    const boss = at.herdr.agents.get('boss');
    if (boss) at.herdr.agents.set('boss', { ...boss, terminal_id: 'term_stranger', agent_status: 'idle' });
    at.rt = await at.start();
    await until(
      'a wake that waits',
      async () => (await at.task(sent.task_id, PERSON)).notification_state === 'pending',
    );
    await at.moreLooks(3);
    expect(at.typed('boss')).toEqual([]);
  });

  it('whose answer was lost is not told twice, and a half-typed line of a person is left alone', async () => {
    verifies('tasks.inbox');
    at.rt = await at.start();
    const answer = at.herdr.server.methods['agent.prompt'];
    const read = at.herdr.server.methods['pane.read'];
    const first = await at.dispatch('child', 'one', PERSON, { parent_target: 'boss' });
    const rule = '─'.repeat(20);
    at.herdr.server.methods['pane.read'] = () => ({
      type: 'pane_read',
      read: { text: `${rule}\n❯ half a line of mine\n${rule}` },
    });
    at.herdr.set('child', 'idle');
    const refused = await until('the refused wake', async () => {
      const { json } = await at.rt.call('herdr_call', { method: 'herdr_mcp.dispatch.status', params: '{}' }, PERSON);
      const wakes = (json.dispatches as { principal: string; code?: string }[]).filter(
        ({ principal }) => principal === 'end of agent tasks',
      );
      return wakes[0]?.code === 'agent_input_not_empty' && wakes;
    });
    expect(refused).toHaveLength(1);
    expect(at.typed('boss')).toEqual([]);
    expect(await at.task(first.task_id, PERSON)).toMatchObject({ notification_state: 'pending' });
    await at.call('ack', { task_id: first.task_id }, PERSON);

    if (read) at.herdr.server.methods['pane.read'] = read;
    const second = await at.dispatch('child', 'two', PERSON, { parent_target: 'boss' });
    at.herdr.server.methods['agent.prompt'] = ({ params }, socket) => {
      at.herdr.prompts.push({ target: 'boss', text: String(params.text) });
      return void socket.destroy();
    };
    at.herdr.set('child', 'idle');
    await until(
      'the uncertain wake',
      async () => (await at.task(second.task_id, PERSON)).notification_state === 'uncertain',
    );
    if (answer) at.herdr.server.methods['agent.prompt'] = answer;
    await at.moreLooks(4);
    expect(at.typed('boss')).toHaveLength(1);
    expect((await at.inbox(PERSON, { parent_target: 'boss' })).tasks.map(({ task_id }) => task_id)).toEqual([
      second.task_id,
    ]);
  });
});
