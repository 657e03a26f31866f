import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import * as Value from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SemanticStatus } from '../../../contract/semantic/index.ts';
import type { Env } from '../../../edge/env.ts';
import { attemptMs, cooldownMs, isRefusedQuestion } from '../../../edge/semantic/choose.ts';
import { forgetCooldowns } from '../../../edge/semantic/index.ts';
import { poolOf } from '../../../edge/semantic/pool.ts';
import worker from '../../../edge/worker.ts';
import { verifies } from '../../verifies.ts';
import { Client, Device, ORIGIN } from '../auth/harness.ts';
import { reset } from '../evictions.ts';
import { broken, dripping, endless, Provider, route, says, silent, yes } from './provider.ts';

let device: Device;

beforeEach(async () => {
  device = await Device.first();
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  forgetCooldowns();
  await reset();
});

type Told = Record<string, unknown> & { status: number };

async function ask(path: string, routes: unknown, body?: unknown, bearer?: string): Promise<Told> {
  const request = new Request(`${ORIGIN}/semantic/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${bearer ?? (await device.token())}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const secret = routes === undefined || typeof routes === 'string' ? routes : JSON.stringify(routes);
  const bindings = { ...(env as unknown as Env), ...(secret === undefined ? {} : { HERDR_SEMANTIC_ROUTES: secret }) };
  const answer = await worker.fetch(request as never, bindings, createExecutionContext());
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
}

const question = {
  state: 'line one\nline two',
  questions: { done: { type: 'noul', question: 'Is the work done?', criteria: { true: 'yes', false: 'no' } } },
};

describe('the pool', () => {
  it('asks the first healthy route first every time, a later one only after a failure or during its cooldown', async () => {
    verifies('edge.semantic');
    const routes = [route('first'), route('second'), route('third')];
    const provider = new Provider().at('first', yes).at('second', yes).at('third', yes);
    for (let n = 0; n < 3; n++) await ask('evaluate', routes, question);
    expect(provider.order).toEqual(['first', 'first', 'first']);
    provider.at('first', says({}, 500));
    expect(await ask('evaluate', routes, question)).toMatchObject({ status: 200, route: 'second' });
    provider.at('first', yes);
    expect(await ask('evaluate', routes, question)).toMatchObject({ route: 'second' });
    expect(provider.order.slice(3)).toEqual(['first', 'second', 'second']);
    vi.setSystemTime(Date.now() + 30_001);
    expect(await ask('evaluate', routes, question)).toMatchObject({ route: 'first' });
  });

  it('gives a slow route its own limit and the next one the rest', async () => {
    verifies('edge.semantic');
    const provider = new Provider().at('slow', silent).at('quick', yes);
    const answer = await ask('evaluate', [route('slow'), route('quick')], question);
    expect(answer).toMatchObject({ status: 200, route: 'quick', answers: { done: { type: 'noul', noul: 0.9 } } });
    expect(provider.order).toEqual(['slow', 'quick']);
  });

  it('is not held by one that drips, and reads no more than its limit of one that never stops', async () => {
    new Provider().at('drips', dripping).at('endless', endless).at('good', yes);
    const answer = await ask('evaluate', [route('endless'), route('drips'), route('good')], question);
    expect(answer).toMatchObject({ status: 200, route: 'good' });
  });

  it('tries three at most and says how each failed, in words of its own', async () => {
    verifies('edge.semantic');
    const provider = new Provider()
      .at('one', broken)
      .at('two', says('<html>'))
      .at('three', says({}, 429))
      .at('four', yes);
    const answer = await ask('evaluate', [route('one'), route('two'), route('three'), route('four')], question);
    expect(answer).toMatchObject({
      status: 502,
      code: 'http_429',
      retryable: true,
      attempts: [
        { route: 'one', code: 'network' },
        { route: 'two', code: 'invalid_response' },
        { route: 'three', code: 'http_429' },
      ],
    });
    expect(JSON.stringify(answer)).not.toMatch(/secret|key-of|models\.dev/);
    expect(provider.order).not.toContain('four');
    expect(await ask('evaluate', [route('one'), route('two'), route('three')], question)).toMatchObject({
      status: 503,
      code: 'semantic_routes_cooling_down',
    });
  });

  it.each([400, 422])('asks nobody else when a provider says %i to the question itself', async (status) => {
    const provider = new Provider().at('one', says({ error: 'no' }, status)).at('two', yes);
    expect(await ask('evaluate', [route('one'), route('two')], question)).toMatchObject({
      status: 400,
      code: 'semantic_request_rejected',
      retryable: false,
    });
    expect(provider.order).toEqual(['one']);
  });

  it.each([
    ['no answers', { model: 'm' }],
    ['an answer of another type', { answers: { done: { type: 'score', score: 1 } } }],
    ['a probability above one', { answers: { done: { type: 'noul', noul: 1.2 } } }],
    ['a text for a number', { answers: { done: { type: 'noul', noul: '0.5' } } }],
    ['a list', []],
    ['an answer to another question', { answers: { other: { type: 'noul', noul: 1 } } }],
  ])('does not believe %s', async (_, body) => {
    new Provider().at('one', says(body));
    expect(await ask('evaluate', [route('one')], question)).toMatchObject({ status: 502, code: 'invalid_response' });
  });

  it('follows no redirect with a key in its hand', async () => {
    const provider = new Provider().at(
      'one',
      () => new Response(null, { status: 307, headers: { location: 'https://x.y' } }),
    );
    expect(await ask('evaluate', [route('one')], question)).toMatchObject({ status: 502, code: 'http_307' });
    expect(provider.heard[0]?.redirect).toBe('manual');
  });

  it('drops what nobody asked for, and passes three kinds of answers on', async () => {
    const asked = {
      state: 's',
      questions: {
        a: { type: 'noul', question: 'a?' },
        b: { type: 'choice', question: 'b?', choices: { red: 'Red', blue: 'Blue' } },
        c: { type: 'score', question: 'c?', levels: ['low', 'middle', 'high'] },
      },
    };
    const answers = {
      a: { type: 'noul', noul: 0, rude: true },
      b: { type: 'choice', choice: 'red', probabilities: { red: 0.7, green: 0.3 }, confidence: 0.7, text: 'x' },
      c: { type: 'score', score: 1.5 },
      d: { type: 'noul', noul: 1 },
    };
    new Provider().at('one', says({ model: 'm\n', answers, usage: { total_tokens: 3, secret: 1 } }));
    expect(await ask('evaluate', [route('one')], asked)).toEqual({
      status: 200,
      ok: true,
      route: 'one',
      model: 'small-1',
      usage: { total_tokens: 3 },
      answers: {
        a: { type: 'noul', noul: 0 },
        b: { type: 'choice', choice: 'red', probabilities: { red: 0.7 }, confidence: 0.7 },
        c: { type: 'score', score: 1.5 },
      },
    });
  });
});

describe('a provider is asked', () => {
  it('with the model in the body and the key in the header, or as its gateway wants it', async () => {
    const gateway = route('gateway', 'decision-vercel');
    const provider = new Provider()
      .at('plain', yes)
      .at('gateway', says({ answers: { done: { type: 'boolean', probability: 0.25 } } }));
    await ask('evaluate', [route('plain')], question);
    expect(provider.heard[0]?.body).toEqual({ ...question, model: 'small-1' });
    expect(provider.heard[0]?.headers.get('authorization')).toBe('Bearer key-of-plain');
    expect(await ask('systemone', [gateway], question)).toMatchObject({
      answers: { done: { type: 'noul', noul: 0.25 } },
    });
    expect(provider.heard[1]?.body).toEqual({
      state: question.state,
      questions: { done: { ...question.questions.done, type: 'boolean' } },
    });
    expect(provider.heard[1]?.headers.get('ai-model-id')).toBe('small-1');
  });

  it('for a chat with line breaks, at temperature 0, and never by a route of the other kind', async () => {
    verifies('edge.semantic');
    const provider = new Provider()
      .at('typed', yes)
      .at('chat', says({ model: 'm-2', choices: [{ message: { role: 'assistant', content: 'Yes.\nDone.' } }] }));
    const messages = [
      { role: 'system', content: 'Be short.\nReally.' },
      { role: 'user', content: 'Is it done?\r\n\tYes or no.' },
    ];
    expect(await ask('chat', [route('typed'), route('chat', 'openai-chat')], { messages })).toEqual({
      status: 200,
      ok: true,
      route: 'chat',
      model: 'm-2',
      content: 'Yes.\nDone.',
    });
    expect(provider.heard.map(({ body }) => body)).toEqual([
      { model: 'small-1', messages, temperature: 0, stream: false },
    ]);
    expect(await ask('chat', [route('typed')], { messages })).toMatchObject({
      status: 503,
      code: 'semantic_provider_unavailable',
    });
  });
});

describe('whoever asks', () => {
  it('is a paired device; a connector’s token is refused', async () => {
    const provider = new Provider().at('one', yes);
    vi.restoreAllMocks();
    const { access_token } = await (await Client.register()).connect(device);
    expect(await ask('evaluate', [route('one')], question, access_token)).toMatchObject({
      status: 401,
      code: 'device_auth_failed',
    });
    expect(provider.heard).toHaveLength(0);
  });

  it('learns what there is, without keys and addresses', async () => {
    const status = await ask('status', [route('one'), route('two', 'openai-chat')]);
    expect(Value.Check(SemanticStatus, status)).toBe(true);
    expect(status).toMatchObject({ available: true, evaluate_available: true, chat_available: true });
    expect(JSON.stringify(status)).not.toMatch(/key-of|https/);
    expect(await ask('status', undefined)).toMatchObject({ available: false, routes: [] });
  });

  it.each<[string, string, unknown, number]>([
    ['nothing', 'evaluate', '', 400],
    ['broken JSON', 'evaluate', '{', 400],
    ['no question', 'evaluate', { state: 's', questions: {} }, 400],
    ['33 questions', 'evaluate', { state: 's', questions: many(33) }, 400],
    ['an unknown member', 'evaluate', { ...question, model: 'mine' }, 400],
    ['a question with a strange id', 'evaluate', { state: 's', questions: { 'a b': question.questions.done } }, 400],
    ['100 kB', 'evaluate', { state: 'x'.repeat(100_000), questions: question.questions }, 413],
    ['a control character in a chat', 'chat', { messages: [{ role: 'user', content: 'a\u0007b' }] }, 400],
    ['a role of its own', 'chat', { messages: [{ role: 'tool', content: 'a' }] }, 400],
    ['no message', 'chat', { messages: [] }, 400],
  ])('with %s is refused and no provider is asked', async (_, path, body, status) => {
    const provider = new Provider().at('one', yes);
    expect((await ask(path, [route('one'), route('two', 'openai-chat')], body)).status).toBe(status);
    expect(provider.heard).toHaveLength(0);
  });

  function many(n: number): Record<string, unknown> {
    return Object.fromEntries(Array.from({ length: n }, (_, i) => [`q${i}`, question.questions.done]));
  }
});

describe('a pool', () => {
  const good = route('one');
  it.each<[string, unknown]>([
    ['no JSON', '['],
    ['no list', good],
    ['an empty list', []],
    ['nine routes', Array.from({ length: 9 }, (_, n) => route(`r${n}`))],
    ['two of one name', [good, good]],
    ['an unknown key', [{ ...good, weight: 1 }]],
    ['http', [{ ...good, url: 'http://one.models.dev/v1' }]],
    ['a password in the address', [{ ...good, url: 'https://a:b@one.models.dev/v1' }]],
    ['a query', [{ ...good, url: 'https://one.models.dev/v1?k=1' }]],
    ['a fragment', [{ ...good, url: 'https://one.models.dev/v1#k' }]],
    ['a line break in the key', [{ ...good, api_key: 'a\nb' }]],
    ['a key that is missing', [{ name: 'one', protocol: 'decision', url: good.url, model: 'm' }]],
    ['a protocol nobody speaks', [{ ...good, protocol: 'soap' }]],
  ])('with %s is misconfigured as a whole', async (_, routes) => {
    const secret = typeof routes === 'string' ? routes : JSON.stringify(routes);
    expect(poolOf(secret)).toBe('invalid');
    expect(await ask('evaluate', secret, question)).toMatchObject({
      status: 503,
      code: 'semantic_provider_misconfigured',
      retryable: false,
    });
  });

  it('decides by tables', () => {
    expect(attemptMs('evaluate', 3000, false)).toBe(2000);
    expect(attemptMs('evaluate', 900, false)).toBe(900);
    expect(attemptMs('evaluate', 3000, true)).toBe(3000);
    expect(attemptMs('chat', 15_000, false)).toBe(7000);
    expect([cooldownMs('http_401'), cooldownMs('http_403')]).toEqual([300_000, 300_000]);
    expect([cooldownMs('http_500'), cooldownMs('timeout')]).toEqual([30_000, 30_000]);
    expect(isRefusedQuestion('evaluate', 'http_422')).toBe(true);
    expect(isRefusedQuestion('chat', 'http_400')).toBe(false);
  });
});
