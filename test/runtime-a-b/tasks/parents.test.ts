import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADAPTER_PROTOCOL } from '../../../contract/browser/actuation.ts';
import { EXTENSION_ROUTE, type TasksAnswer } from '../../../contract/extension/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { moveParent } from '../../../runtime-a-b/tasks/move-parent.ts';
import { verifies } from '../../verifies.ts';
import { ask, follow, socketOf } from '../http/extension/client.ts';
import { type TestRuntime, testRuntime, until } from '../support/index.ts';
import { conversation, desk, type Who } from './desk.ts';
import { type Scripted, scriptedHerdr } from './scripted.ts';

/** Conversations of one browser, registered over the real socket, and calls that come from them over the link's door. */
let herdr: Scripted;
let rt: TestRuntime;
let socket: string;
let generation: number;
let account: string;
let endpoint: string;
let used = 0;
const { dispatch, task, ended, inbox } = desk(() => rt);

const register = async (body: object) =>
  (await ask(socket, EXTENSION_ROUTE.registry, { method: 'POST', body: JSON.stringify(body) })).body;

beforeAll(async () => {
  herdr = await scriptedHerdr(Array.from({ length: 20 }, (_, i) => `agent${i + 1}`));
  herdr.onPrompt = (name) => herdr.set(name, 'working');
  rt = await testRuntime({ herdrSocket: herdr.server.path });
  socket = socketOf(rt.stateDir);
  const made = await register({
    operation: 'endpoint.register',
    profile_seed: 'a'.repeat(64),
    browser_family: 'chrome',
    extension_version: '1.1.0',
  });
  endpoint = String(made.endpoint_ref);
  const observed = await register({
    operation: 'provider.observe',
    endpoint_ref: endpoint,
    provider: 'chatgpt',
    adapter_protocol_version: ADAPTER_PROTOCOL,
    capabilities: ['composer.submit'],
  });
  generation = Number(observed.observation_generation);
  account = String((await observe('account', 'me')).resource_ref);
});
afterAll(async () => {
  await rt?.end();
  await herdr?.server.stop();
});

const observe = (kind: string, native: string, more: object = {}) =>
  register({
    operation: 'resource.observe',
    endpoint_ref: endpoint,
    provider: 'chatgpt',
    kind,
    native_identity: native,
    expected_generation: generation,
    ...more,
  });

interface Chat {
  ref: string;
  who: Who;
  url: string;
  turn(inProgress: boolean, startedAt?: number): Promise<unknown>;
}

/** A new conversation and its caller, so that no test knows another one's. */
async function chat(): Promise<Chat> {
  used += 1;
  const id = `6789abcd-0000-4000-8000-${String(used).padStart(12, '0')}`;
  const url = `https://chatgpt.com/c/${id}`;
  const { browser_session_ref: ref } = await observe('session', id, { parent_ref: account, canonical_url: url });
  const startedAt = Date.now();
  return {
    ref: String(ref),
    url,
    who: conversation(`mark-${used}`),
    turn: (inProgress, at = startedAt) =>
      register({
        operation: 'source_turn.observe',
        session_ref: ref,
        expected_generation: generation,
        turn_id: `turn-of-${id}-${at}`,
        in_progress: inProgress,
        started_at: at,
        observed_at: Date.now(),
      }),
  };
}

let free = 0;
/** An agent that nobody has prompted yet. */
const fresh = () => {
  free += 1;
  return `agent${free}`;
};

const inboxOf = async (ref: string, more = '') =>
  (await ask(socket, `${EXTENSION_ROUTE.tasks}?parent_session_ref=${ref}&advisory=false${more}`))
    .body as never as TasksAnswer;
const ack = async (ref: string, id: unknown) =>
  (
    await ask(socket, EXTENSION_ROUTE.taskAck, {
      method: 'POST',
      body: JSON.stringify({ task_id: id, parent_session_ref: ref }),
    })
  ).body;

const open: Chat[] = [];
beforeEach(async () => {
  for (const one of open.splice(0)) await one.turn(false);
});
const started = async () => {
  const one = await chat();
  await one.turn(true);
  open.push(one);
  return one;
};

describe('the conversation that dispatched', { timeout: 60_000 }, () => {
  it('is known by the only turn in progress, stays known, and is woken by its own tasks alone', async () => {
    verifies('tasks.inbox');
    const a = await started();
    const first = fresh();
    const sentA = await dispatch(first, 'task of A', a.who);
    await a.turn(false);
    const b = await started();
    const second = fresh();
    const sentB = await dispatch(second, 'task of B', b.who);
    // Both chats are busy now, and each is still known.
    const third = fresh();
    await a.turn(true, Date.now());
    const again = await dispatch(third, 'more of A', a.who);
    await a.turn(false, Date.now());

    const stream = await follow(socket);
    herdr.set(first, 'idle');
    await stream.wait(
      'the end of the task of A',
      ({ event, data }) => event === 'agent_task' && data.task_id === sentA.task_id,
    );
    expect(await inboxOf(b.ref)).toMatchObject({ tasks: [], summary: { running: 1, completed: 0 } });
    expect((await inboxOf(a.ref)).tasks.map(({ task_id }) => task_id)).toEqual([sentA.task_id]);
    herdr.set(second, 'done');
    herdr.set(third, 'idle');
    await ended(sentB.task_id, b.who);
    await ended(again.task_id, a.who);
    const events = stream.events.filter(({ event }) => event === 'agent_task');
    stream.close();
    expect(events.map(({ data }) => [data.task_id, data.parent_session_ref]).sort()).toEqual(
      [
        [sentA.task_id, a.ref],
        [sentB.task_id, b.ref],
        [again.task_id, a.ref],
      ].sort(),
    );
    expect((await inboxOf(a.ref)).tasks.map(({ task_id }) => task_id).sort()).toEqual(
      [sentA.task_id, again.task_id].sort(),
    );

    // Acknowledged by its owner only, once, after the wake; the other's stays.
    expect(await ack(b.ref, sentA.task_id)).toMatchObject({ ok: false, code: 'agent_task_parent_mismatch' });
    expect(await ack(a.ref, sentA.task_id)).toEqual({ ok: true, task_id: sentA.task_id, already: false });
    expect(await ack(a.ref, sentA.task_id)).toEqual({ ok: true, task_id: sentA.task_id, already: true });
    expect((await inboxOf(a.ref)).tasks.map(({ task_id }) => task_id)).toEqual([again.task_id]);
    expect((await inboxOf(b.ref)).tasks.map(({ task_id }) => task_id)).toEqual([sentB.task_id]);
    // Over the connector each sees its own as well.
    expect((await inbox(b.who)).tasks.map(({ task_id }) => task_id)).toEqual([sentB.task_id]);
    expect((await inbox(b.who, { parent_session_ref: a.ref })) as object).toMatchObject({
      code: 'agent_task_parent_mismatch',
    });
  });

  it('gives its open tasks to the chat that the work goes on in: the running one ends there, the acknowledged one stays', async () => {
    verifies('extension.handoff', 'tasks.inbox');
    const source = await started();
    const [one, two] = [fresh(), fresh()];
    const first = await dispatch(one, 'taken note of', source.who);
    const second = await dispatch(two, 'still running', source.who);
    herdr.set(one, 'idle');
    await ended(first.task_id, source.who);
    await ack(source.ref, first.task_id);
    await source.turn(false);
    const target = await chat();
    const state = openState(rt.stateDir); // as the other generation has it open
    expect(moveParent(state, source.ref, target.ref, Date.now())).toBe(1);
    expect(moveParent(state, source.ref, target.ref, Date.now())).toBe(0);
    state.close();
    herdr.set(two, 'idle');
    await until('the end in the new chat', async () => (await inboxOf(target.ref)).tasks.length === 1);
    expect((await inboxOf(target.ref)).tasks.map(({ task_id }) => task_id)).toEqual([second.task_id]);
    expect(await inboxOf(source.ref)).toMatchObject({ tasks: [], summary: { running: 0 } });
    expect(await ack(source.ref, second.task_id)).toMatchObject({ code: 'agent_task_parent_mismatch' });
    expect(await ack(target.ref, second.task_id)).toMatchObject({ ok: true, already: false });
  });

  it('is not guessed while two turns are in progress, or none, or one that began after the call', async () => {
    verifies('tasks.inbox');
    const [a, b] = [await started(), await started()];
    const both = await dispatch(fresh(), 'whose is this', a.who);
    await a.turn(false);
    await b.turn(false);
    const none = await dispatch(fresh(), 'nobody is there', b.who);
    for (const [sent, who] of [
      [both, a.who],
      [none, b.who],
    ] as const) {
      expect(await task(sent.task_id, who)).toMatchObject({ notification_state: 'none' });
    }
    for (const { ref } of [a, b]) expect(await inboxOf(ref)).toMatchObject({ tasks: [], summary: { running: 0 } });
    expect(await inbox(a.who)).toMatchObject({ browser_session_ref: null, summary: { running: 1 } });
  });

  it('is known by its own address in the call, and one conversation is never two callers', async () => {
    verifies('tasks.inbox');
    const a = await chat();
    const sent = await dispatch(fresh(), 'by address', a.who, { conversation_url: `${a.url}?model=x#bottom` });
    expect(await inboxOf(a.ref)).toMatchObject({ summary: { running: 1 } });
    const stranger = conversation('a stranger');
    const theirs = await dispatch(fresh(), 'also by that address', stranger, { conversation_url: a.url });
    expect(await inboxOf(a.ref)).toMatchObject({ summary: { running: 1 } });
    expect(await inbox(stranger)).toMatchObject({ browser_session_ref: null });
    expect(await task(sent.task_id, a.who)).toMatchObject({ task_id: sent.task_id });
    await expect(task(theirs.task_id, a.who)).rejects.toThrow('agent_task_parent_mismatch');
    // Another account of the same app is another principal, whatever mark it sends.
    await expect(task(sent.task_id, { ...a.who, ...conversation('mark-x', 'conn_2') })).rejects.toThrow('mismatch');
  });

  it('is not the one whose address it names when the browser saw another one, nor one that the browser does not know', async () => {
    verifies('tasks.inbox');
    const [here, named] = [await started(), await chat()];
    const wrong = await dispatch(fresh(), 'names another chat', here.who, { conversation_url: named.url });
    const elsewhere = 'https://chatgpt.com/c/6789abcd-0000-4000-9000-000000000000';
    const phone = conversation('on a phone');
    const away = await dispatch(fresh(), 'from elsewhere', phone, { conversation_url: elsewhere });
    for (const { ref } of [here, named]) expect(await inboxOf(ref)).toMatchObject({ summary: { running: 0 } });
    expect(await task(wrong.task_id, here.who)).toMatchObject({ lifecycle: 'running' });
    expect(await task(away.task_id, phone)).toMatchObject({ lifecycle: 'running' });
    // Neither was kept: each is still known by what is true of it.
    const project = `https://chatgpt.com/g/g-p-0123456789abcdef0123456789abcdef/c/${here.url.split('/').at(-1)}`;
    await dispatch(fresh(), 'by the address within its project', here.who, { conversation_url: project });
    await here.turn(false);
    await dispatch(fresh(), 'by its own address', named.who, { conversation_url: named.url });
    for (const { ref } of [here, named]) expect(await inboxOf(ref)).toMatchObject({ summary: { running: 1 } });
  });

  it('is proved for one call alone where the host marks no conversations, and never takes a marked one’s place', async () => {
    verifies('tasks.inbox');
    const a = await chat();
    const unmarked: Who = { principal: { kind: 'connector', id: 'conn_claude', label: 'Claude' } };
    const sent = await dispatch(fresh(), 'by its address', unmarked, { conversation_url: a.url });
    await dispatch(fresh(), 'without it', unmarked);
    expect(await inboxOf(a.ref)).toMatchObject({ summary: { running: 1 } });
    expect(await task(sent.task_id, unmarked)).toMatchObject({ task_id: sent.task_id });
    await expect(task(sent.task_id, conversation('marked', 'conn_claude'))).rejects.toThrow('mismatch');
    await dispatch(fresh(), 'of its own', conversation('marked', 'conn_claude'), { conversation_url: a.url });
    expect(await inboxOf(a.ref)).toMatchObject({ summary: { running: 2 } });
    await dispatch(fresh(), 'not any more', unmarked, { conversation_url: a.url });
    expect(await inboxOf(a.ref)).toMatchObject({ summary: { running: 2 } });
  });

  it('reads an inbox that says when an agent has just settled, and refuses what names no conversation', async () => {
    const a = await chat();
    const name = fresh();
    const sent = await dispatch(name, 'settle slowly', a.who, { conversation_url: a.url });
    // Every look shows another change of state, so the settle is new each time and never confirmed.
    herdr.set(name, 'idle');
    herdr.onLook = () => herdr.shortTurn(name);
    await until('a settle that waits for its second look', async () => (await inboxOf(a.ref)).settling === 1);
    expect(await task(sent.task_id, a.who)).toMatchObject({ lifecycle: 'running' });
    herdr.onLook = () => {};
    await ended(sent.task_id, a.who);
    expect(await inboxOf(a.ref)).toMatchObject({ settling: 0, tasks: [{ lifecycle: 'completed' }] });
    expect(await inboxOf(a.ref, '&workspace_id=w9')).toMatchObject({ tasks: [] });
    for (const query of ['', '?parent_session_ref=br_1', `?parent_session_ref=${a.ref}&limit=0`]) {
      expect((await ask(socket, EXTENSION_ROUTE.tasks + query)).status).toBe(400);
    }
    expect(await ack(a.ref, 'd_unknown')).toMatchObject({ ok: false, code: 'agent_task_not_found' });
    const running = await dispatch(fresh(), 'not yet', a.who);
    expect(await ack(a.ref, running.task_id)).toMatchObject({ ok: false, code: 'agent_task_not_terminal' });
    expect((await ask(socket, EXTENSION_ROUTE.taskAck, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});
