/** What Auto asks, asked of a real runtime over its real socket, with providers that are slow, wrong, huge and rude. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdviceDoor, createAdvice } from '../../../extension/background/advice.ts';
import { performJudge } from '../../../extension/background/judging.ts';
import type { NativeAnswer, NativeRequest } from '../../../extension/background/native.ts';
import { createRuntimeDoor } from '../../../extension/background/runtime.ts';
import type { GoalRead } from '../../../extension/machines/auto/index.ts';
import { ask, socketOf } from '../../runtime-a-b/http/extension/client.ts';
import { answers, Providers, rude, says, silent } from '../../runtime-a-b/semantic/provider.ts';
import { type TestRuntime, testRuntime } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';

const CHAT = 'https://chatgpt.com/c/11111111-aaaa-4bbb-8ccc-000000000001';
const CHAIN = 'hc:auto1:abcdefgh';
const PARTITION = { project_ref: 'parser', repo_id: 'github.com/ada/parser', work_chain_id: 'main' };
const PLACE = { conversation: CHAT, continuityId: CHAIN, session: null, workspaces: ['w1'] };

let rt: TestRuntime;
let providers: Providers;
let advice: AdviceDoor;

beforeAll(async () => {
  providers = await new Providers().open();
  rt = await testRuntime();
  routes();
  const native = {
    // As the native host passes it on: method, path and body, nothing else.
    async request({ method, path, body }: NativeRequest) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const given = body === undefined ? {} : { body: JSON.stringify(body) };
      const { status, body: answered } = await ask(socketOf(rt.stateDir), path, { method, headers, ...given });
      return { ok: true as const, status, body: answered };
    },
  };
  const port = { ...native, connect: unused, stream: unused, isOpen: () => true, giveUp: unused };
  advice = createAdvice({ native, runtime: createRuntimeDoor(port, () => undefined) });
});
afterAll(async () => {
  await rt.end();
  await providers.close();
});

function unused(): never {
  throw new Error('only requests are made here');
}

function routes(...list: ReturnType<Providers['route']>[]): void {
  writeFileSync(join(rt.stateDir, 'config.json'), JSON.stringify({ semantic: { routes: list } }), { mode: 0o600 });
}

const REMAINS = {
  remains: { type: 'noul' as const, question: 'Does work remain?', criteria: { true: 'a', false: 'b' } },
};

async function called(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { json } = await rt.call('herdr_call', { method, params: JSON.stringify(params) });
  if (json['ok'] !== true) throw new Error(JSON.stringify(json));
  return json;
}

describe('the small models', () => {
  it('are named by what they can do; without any the answer is that there is none', async () => {
    verifies('extension.auto', 'tasks.semantic');
    expect(await advice.services()).toEqual({ evaluate: false, chat: false });
    expect(await advice.evaluate('state', REMAINS, 1_000)).toBeNull();
    expect(await advice.chat({ system: 's', user: 'u' }, 1_000)).toBeNull();
    routes(providers.route('typed'), providers.route('talk', 'openai-chat'));
    expect(await advice.services()).toEqual({ evaluate: true, chat: true });
  });

  it('are asked with what the schema takes, whatever a page has shown', async () => {
    verifies('extension.auto');
    providers.at('typed', answers(0.9)).at('talk', says({ choices: [{ message: { content: 'DONE' } }] }));
    const ugly = `a\u0000b\u001bc\ud800d${'漢'.repeat(18_000)}`;
    expect(await advice.evaluate(ugly, REMAINS, 5_000)).toMatchObject({ remains: { noul: 0.9 } });
    expect(await advice.chat({ system: 'judge', user: ugly }, 5_000)).toBe('DONE');
    expect(await advice.chat({ system: 'judge', user: ' ' }, 5_000)).toBe('DONE');
  });

  it.each([
    ['says nothing in time', silent],
    ['breaks the line', rude],
    ['fails', says({}, 500)],
    ['answers something else', says({ model: 'm', answers: { remains: { type: 'noul', noul: 7 } }, choices: [] })],
  ])('one that %s has given no answer', async (name, manner) => {
    verifies('extension.auto');
    const [typed, talk] = [`t${name.length}`, `c${name.length}`];
    routes(providers.route(typed), providers.route(talk, 'openai-chat'));
    providers.at(typed, manner).at(talk, manner);
    expect(await advice.evaluate('state', REMAINS, 300)).toBeNull();
    expect(await advice.chat({ system: 's', user: 'u' }, 300)).toBeNull();
  });
});

describe('the goal', () => {
  const journal = (message_id: string, role: string, text: string) =>
    ask(socketOf(rt.stateDir), '/extension/continuity/turn', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        continuity_id: CHAIN,
        conversation_url: CHAT,
        workspace_id: 'w1',
        project_id: '',
        title: 'The parser',
        message_id,
        role,
        text,
        observed_at: 1_764_500_000_000,
      }),
    });
  const read = async (): Promise<GoalRead> => {
    const known = await advice.goal(PLACE);
    if (known === null || known === 'unknown') throw new Error('no goal');
    return known;
  };
  const checkpoint = (revision: number, content: Record<string, unknown>) =>
    called('work_memory.checkpoint.put', {
      ...PARTITION,
      expected_checkpoint_revision: revision,
      summary: 'The lexer is done.',
      checkpoint_json: JSON.stringify(content),
      through_message_id: 'a1',
    });

  it('is none before the chain has a checkpoint with one', async () => {
    verifies('extension.auto');
    expect(await advice.goal(PLACE)).toBeNull();
    expect((await journal('u1', 'user', 'Please build the parser.')).body).toMatchObject({ ok: true });
    expect((await journal('a1', 'assistant', 'The lexer is done.')).body).toMatchObject({ ok: true });
    expect(await advice.goal(PLACE)).toBeNull();
    await called('work_memory.bind', { ...PARTITION, continuity_id: CHAIN });
    expect(await advice.goal(PLACE)).toBeNull();
    await checkpoint(0, { open: ['run the checks'] });
    expect(await advice.goal(PLACE)).toBeNull();
  });

  it('comes with its revision, its todos and what this workstation saw', async () => {
    verifies('extension.auto');
    await checkpoint(1, { goal: 'a parser', open: ['run the checks'] });
    const evidence = await called('work_memory.append_evidence', {
      ...PARTITION,
      kind: 'test_run',
      content: '42 passed',
    });
    expect(await advice.goal(PLACE)).toMatchObject({
      partition: PARTITION,
      revision: 2,
      ledger: { objective: 'a parser', todos: [{ text: 'run the checks', open: true }] },
      observed: [`herdr_evidence:${evidence['evidence_id']}`, 'human:u1'],
      running: 0,
      uncertain: false,
    });
    expect(await advice.goal({ ...PLACE, continuityId: 'hc:other:abcdefgh' })).toBeNull();
    expect(await advice.goal({ ...PLACE, conversation: `${CHAT.slice(0, -1)}2` })).toBeNull();
  });

  it('is written back under the revision that was read; a newer one wins, and other members stay', async () => {
    verifies('extension.auto');
    const own = await read();
    // The planner's own words stay the planner's.
    expect(await advice.putGoal(own, { objective: 'mine' }, 'a1')).toBe(false);
    await checkpoint(2, { note: 'kept', goal_supervisor: { objective: 'a parser', todos: [], mood: 'good' } });
    const known = await read();
    expect(await advice.putGoal(known, { todos: [{ id: 't', text: 'x', status: 'closed' }] }, 'nowhere')).toBe(false);
    expect(await advice.putGoal(known, { todos: [{ id: 't', text: 'x', status: 'closed' }] }, 'a1')).toBe(true);
    expect(await read()).toMatchObject({
      revision: 4,
      summary: 'The lexer is done.',
      content: { note: 'kept', goal_supervisor: { objective: 'a parser', mood: 'good', todos: [{ id: 't' }] } },
    });
    expect(await advice.putGoal(known, { objective: 'from an older reading' }, 'a1')).toBe(false);
    expect((await read()).ledger.objective).toBe('a parser');
  });
});

describe('a runtime that is silent in the middle', () => {
  const away: NativeAnswer = { ok: false, error: 'native_request_timeout' };
  const told = (result: unknown): NativeAnswer => ({
    ok: true,
    status: 200,
    body: { result: { content: [{ type: 'text', text: JSON.stringify(result) }] } },
  });
  const exact = {
    ok: true,
    resolution: 'unique_exact',
    candidates: [{ continuity_id: CHAIN, work_memory: PARTITION }],
  };
  const silentFrom = (answers: readonly NativeAnswer[]) => {
    let asked = 0;
    const native = { request: () => Promise.resolve(answers[asked++] ?? away) };
    const runtime = { fresh: () => Promise.resolve(null), inbox: () => Promise.resolve(null) };
    return createAdvice({ native, runtime });
  };

  it.each([
    ['at once', [], 'unknown'],
    ['after the search', [told(exact)], 'unknown'],
    ['about what runs', [told(exact), told({ ok: true, checkpoint: null })], 'unknown'],
    ['but has refused', [told({ ok: false, code: 'continuity_store_unavailable' })], null],
    ['but has no goal', [told({ ok: true, resolution: 'none', candidates: [] })], null],
  ])('%s: what is not known is not taken for none', async (_, given, goal) => {
    verifies('extension.auto');
    expect(await silentFrom(given).goal(PLACE)).toBe(goal);
  });

  it('has named no models, which is not the same as none', async () => {
    expect(await silentFrom([]).services()).toBeNull();
    expect(await silentFrom([{ ok: true, status: 500, body: {} }]).services()).toBeNull();
  });
});

describe('what is asked before a judgement', () => {
  it.each([
    [{ evaluate: true, chat: false }, 0],
    [{ evaluate: false, chat: true }, 1],
    [null, 0],
  ])('the goal is read only where a chat model could use it: %j', async (services, goals) => {
    const heard: unknown[] = [];
    let read = 0;
    const own: AdviceDoor = {
      ...advice,
      services: () => Promise.resolve(services),
      goal: () => {
        read += 1;
        return Promise.resolve('unknown');
      },
    };
    const parts = {
      advice: own,
      take: async (event: unknown) => heard.push(event),
      turns: () => Promise.resolve(null),
    };
    const wants = { type: 'prepare' as const, id: 'x', turn: { user: 'u', answer: 'a', answerId: null } };
    await performJudge(parts, { type: 'judge', ...PLACE, tab: null, wants });
    expect(read).toBe(goals);
    expect(heard.at(-1)).toMatchObject({ event: { type: 'prepared', services, goal: goals === 0 ? null : 'unknown' } });
  });
});
