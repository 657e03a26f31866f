import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SemanticRoute } from '../../../contract/semantic/index.ts';
import { localRoutes } from '../../../runtime-a-b/semantic/local-routes.ts';
import { createSemantic, type Semantic, type SemanticParts } from '../../../runtime-a-b/semantic/service.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';
import { answers, dripping, endless, late, Providers, rude, says, silent } from './provider.ts';

const providers = new Providers();
const folder = tempFolder();
let clockMs = 1_000_000;
let logged: string[] = [];

beforeAll(() => providers.open());
afterAll(async () => {
  await providers.close();
  folder.remove();
});
afterEach(() => {
  providers.heard.length = 0;
  logged = [];
});

const NO_EDGE: SemanticParts['edge'] = {
  offers: async () => ({ reason: 'not_paired' }),
  ask: async () => ({ ok: false, reason: 'not_paired' }),
};
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });

function serviceOf(routes: SemanticRoute[], edge = NO_EDGE): Semantic {
  return createSemantic({ local: async () => ({ routes }), edge, nowMs: () => clockMs++, log });
}

const QUESTION = {
  state: 'the screen says: done, key sk-SECRET-OF-THE-STATE',
  questions: { done: { type: 'noul' as const, question: 'Is the work done?' } },
};

describe('asking', () => {
  it('takes the first route every time, the next only when it fails, and leaves a failed one alone for a while', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    const service = serviceOf([providers.route('first'), providers.route('second')]);
    providers.at('first', answers(0.9)).at('second', answers(0.1));
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ ok: true, provider: 'first' });
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ ok: true, provider: 'first' });
    providers.at('first', says({ error: 'overloaded' }, 503));
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({
      ok: true,
      provider: 'second',
      answers: { done: { type: 'noul', noul: 0.1 } },
    });
    providers.at('first', answers(0.9));
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ provider: 'second' });
    expect(providers.order).toEqual(['first', 'first', 'first', 'second', 'second']);
    clockMs += 30_001;
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ provider: 'first' });
  });

  it.each([
    ['wrong JSON', says('{"model": "small-1", "ans'), 'invalid_response'],
    [
      'an answer to nothing that was asked',
      says({ model: 'm', answers: { other: { type: 'noul', noul: 1 } } }),
      'invalid_response',
    ],
    ['a probability of two', says({ model: 'm', answers: { done: { type: 'noul', noul: 2 } } }), 'invalid_response'],
    [
      'another kind of answer',
      says({ model: 'm', answers: { done: { type: 'choice', choice: 'yes' } } }),
      'invalid_response',
    ],
    ['a text that never ends', endless, 'invalid_response'],
    ['a line that breaks', rude, 'network'],
    ['a refused key', says({ error: 'key sk-1 is bad' }, 401), 'http_401'],
    ['a way elsewhere', says('', 302, { location: 'http://127.0.0.1:1/steal' }), 'http_302'],
    ['silence', silent, 'timeout'],
    ['a drip', dripping, 'timeout'],
    ['an answer after the deadline', late, 'timeout'],
  ] as const)('%s is no answer and a reason, within the time', async (_, manner, reason) => {
    verifies('tasks.advice', 'tasks.semantic');
    providers.at('only', manner);
    const service = serviceOf([providers.route('only')]);
    const told = await service.evaluate(QUESTION, { boundary: 'test', budgetMs: reason === 'timeout' ? 400 : 20_000 });
    expect(told).toEqual({ ok: false, reason, elapsed_ms: expect.any(Number) });
    expect(providers.order).toEqual(['only']);
  });

  it('gives a slow first route its share and the second one the rest', async () => {
    verifies('tasks.semantic');
    providers.at('slow', silent).at('quick', answers(1));
    const service = serviceOf([providers.route('slow'), providers.route('quick')]);
    const told = await service.evaluate(QUESTION, { boundary: 'test', budgetMs: 3_000 });
    expect(told).toMatchObject({ ok: true, provider: 'quick' });
  });

  it('a caller who goes away is answered at once, and the route is not blamed for it', async () => {
    providers.at('only', silent);
    const service = serviceOf([providers.route('only')]);
    const gone = new AbortController();
    const asked = service.evaluate(QUESTION, { boundary: 'test', signal: gone.signal });
    await expect.poll(() => providers.order).toEqual(['only']);
    gone.abort();
    expect(await asked).toMatchObject({ ok: false, reason: 'timeout' });
    providers.at('only', answers(1));
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ ok: true });
  });

  it('speaks each protocol, with the key in the header alone', async () => {
    verifies('tasks.semantic');
    providers.at('gateway', answers(0.7)).at('chat', says({ choices: [{ message: { content: 'Go on.' } }] }));
    const service = serviceOf([providers.route('gateway', 'decision-vercel'), providers.route('chat', 'openai-chat')]);
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({
      ok: true,
      answers: { done: { type: 'noul', noul: 0.7 } },
    });
    expect(providers.heard[0]).toMatchObject({
      headers: { 'ai-model-id': 'small-1', authorization: 'Bearer key-of-gateway-0123456789' },
      body: { questions: { done: { type: 'boolean' } } },
    });
    expect(providers.heard[0]?.body).not.toHaveProperty('model');
    const messages = [{ role: 'user' as const, content: 'And now?' }];
    expect(await service.chat({ messages }, { boundary: 'test' })).toMatchObject({ ok: true, content: 'Go on.' });
    expect(providers.heard[1]?.body).toEqual({ model: 'small-1', messages, temperature: 0, stream: false });
  });

  it('without any route says so at once, and never says a key, an address or a word of the question', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    expect(await serviceOf([]).evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ reason: 'not_configured' });
    const service = serviceOf([providers.route('bad'), providers.route('rude')]);
    providers.at('bad', says({ error: 'your key key-of-bad-0123456789 is no good' }, 401)).at('rude', rude);
    const told = await service.evaluate(QUESTION, { boundary: 'test' });
    const shown = JSON.stringify([told, await service.status(), service.recent(), logged]);
    expect(shown).toContain('advice was asked for');
    for (const secret of ['key-of-', '127.0.0.1', 'SECRET-OF-THE-STATE', 'Is the work done']) {
      expect(shown).not.toContain(secret);
    }
  });

  it('passes nothing on in which a provider says the key back', async () => {
    verifies('tasks.semantic');
    const key = providers.route('mirror').api_key;
    providers
      .at('mirror', says({ model: key, answers: { done: { type: 'noul', noul: 0.9 } } }))
      .at('parrot', says({ model: 'm', choices: [{ message: { content: `You sent key-of-parrot-0123456789` } }] }));
    const service = serviceOf([providers.route('mirror'), providers.route('parrot', 'openai-chat')]);
    const judged = await service.evaluate(QUESTION, { boundary: 'test' });
    expect(judged).toMatchObject({ ok: true, model: 'small-1', answers: { done: { noul: 0.9 } } });
    const talked = await service.chat({ messages: [{ role: 'user', content: 'Hello' }] }, { boundary: 'test' });
    expect(talked).toMatchObject({ ok: false, reason: 'invalid_response' });
    expect(JSON.stringify([judged, talked, await service.status(), service.recent(), logged])).not.toContain('key-of-');
  });
});

describe('local routes and the pool of the edge', () => {
  const pool = (kind: 'evaluate' | 'chat'): SemanticParts['edge'] => ({
    offers: async () => ({
      status: {
        ok: true,
        available: true,
        evaluate_available: kind === 'evaluate',
        chat_available: kind === 'chat',
        routes: [{ name: 'shared', protocol: kind === 'chat' ? 'openai-chat' : 'decision', model: 'big' }],
        policy: 'advisory_only',
      },
    }),
    ask: async (asked) =>
      asked.kind === 'chat'
        ? { ok: true, told: { model: 'big', content: 'from the pool' }, route: 'shared' }
        : { ok: true, told: { model: 'big', answers: { done: { type: 'noul', noul: 0.5 } } }, route: 'shared' },
  });

  it('a local route comes before the pool, for its own kind of question only', async () => {
    verifies('tasks.semantic');
    providers.at('own', answers(0.9));
    const messages = [{ role: 'user' as const, content: 'And now?' }];
    const service = serviceOf([providers.route('own')], pool('chat'));
    expect(await service.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ provider: 'own' });
    expect(await service.chat({ messages }, { boundary: 'test' })).toMatchObject({ provider: 'edge:shared' });
    expect(await service.status()).toMatchObject({
      available: true,
      providers: [{ id: 'config-route:own', from: 'config' }],
      chat_providers: [{ id: 'edge:shared', from: 'edge' }],
    });
    // A local route that fails is no reason to send the question elsewhere.
    const strict = serviceOf([providers.route('gone')], pool('evaluate'));
    expect(await strict.evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ ok: false, reason: 'http_404' });
    expect(await serviceOf([], pool('evaluate')).evaluate(QUESTION, { boundary: 'test' })).toMatchObject({ ok: true });
  });

  it('routes of a file that others can read, or that is broken, are refused; a repaired one counts without a restart', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    const file = join(folder.path, 'config.json');
    const write = (routes: unknown, mode = 0o600) => {
      writeFileSync(file, JSON.stringify({ semantic: { routes } }), { mode });
      chmodSync(file, mode);
    };
    providers.at('own', answers(0.9));
    const service = createSemantic({ local: localRoutes(file), edge: pool('evaluate'), nowMs: () => clockMs++, log });
    const ask = () => service.evaluate(QUESTION, { boundary: 'test' });
    expect(await ask()).toMatchObject({ ok: true, provider: 'edge:shared' });
    write([providers.route('own')], 0o644);
    expect(await ask()).toMatchObject({ ok: false, reason: 'file_not_private' });
    write([providers.route('own')]);
    expect(await ask()).toMatchObject({ ok: true, provider: 'own' });
    write([providers.route('own'), providers.route('own')]);
    expect(await ask()).toMatchObject({ ok: false, reason: 'route_invalid' });
    write([{ ...providers.route('own'), url: 'http://models.example/v1' }]);
    expect(await ask()).toMatchObject({ ok: false, reason: 'endpoint_invalid' });
    write([{ ...providers.route('own'), extra: 1 }]);
    expect(await ask()).toMatchObject({ ok: false, reason: 'config_broken' });
    expect((await service.status()).local_trouble).toBe('config_broken');
  });
});
