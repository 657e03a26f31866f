import { describe, expect, it } from 'vitest';
import { candidates } from '../../../contract/semantic/candidates.ts';
import type { SemanticRoute } from '../../../contract/semantic/index.ts';
import { NO_UP_TO, verdictOf, YES_FROM } from '../../../contract/semantic/verdict.ts';
import { attemptMs, cooldownMs, wholeMs } from '../../../runtime-a-b/semantic/choose.ts';
import { isRouteAddress } from '../../../runtime-a-b/semantic/local-routes.ts';
import { verifies } from '../../verifies.ts';

const route = (name: string, protocol: SemanticRoute['protocol'] = 'decision'): SemanticRoute => ({
  name,
  protocol,
  url: 'https://models.example/v1',
  model: 'm',
  api_key: 'k',
});

describe('which route', () => {
  it('is the first configured one that is not cooling, at most three, of the right kind', () => {
    const routes = [route('a'), route('chat', 'openai-chat'), route('b', 'decision-vercel'), route('c'), route('d')];
    const names = (cooling: Record<string, number>) =>
      candidates(routes, 'evaluate', new Map(Object.entries(cooling)), 1_000).ready.map(({ name }) => name);
    expect(names({})).toEqual(['a', 'b', 'c']);
    expect(names({ a: 1_001 })).toEqual(['b', 'c', 'd']);
    expect(names({ a: 1_000 })).toEqual(['a', 'b', 'c']);
    expect(candidates(routes, 'chat', new Map([['chat', 5_000]]), 1_000)).toEqual({
      fitting: 1,
      ready: [],
      coolingUntilMs: 5_000,
    });
    expect(candidates([], 'chat', new Map(), 0).fitting).toBe(0);
  });

  it.each([
    ['http_400', 300_000],
    ['http_401', 300_000],
    ['http_403', 300_000],
    ['http_404', 300_000],
    ['http_422', 300_000],
    ['http_408', 30_000],
    ['http_409', 30_000],
    ['http_429', 30_000],
    ['http_302', 30_000],
    ['http_500', 30_000],
    ['http_503', 30_000],
    ['timeout', 30_000],
    ['network', 30_000],
    ['invalid_response', 30_000],
  ] as const)('is left alone after %s for %i ms', (code, ms) => expect(cooldownMs(code)).toBe(ms));

  it('gets a share of the time while another is left, and all of it as the last', () => {
    expect(attemptMs('evaluate', 10_000, false)).toBe(4_000);
    expect(attemptMs('evaluate', 1_500, false)).toBe(1_000);
    expect(attemptMs('evaluate', 1_500, true)).toBe(1_500);
    expect(attemptMs('chat', 15_000, false)).toBe(10_000);
    expect([wholeMs('evaluate', undefined), wholeMs('chat', undefined)]).toEqual([10_000, 15_000]);
    expect([wholeMs('chat', 1), wholeMs('chat', 1_500), wholeMs('chat', 9e9)]).toEqual([100, 1_500, 60_000]);
  });
});

it('one pair of thresholds decides what is a yes and what is a no', () => {
  verifies('tasks.semantic');
  expect([YES_FROM, NO_UP_TO]).toEqual([0.8, 0.2]);
  expect([1, 0.8, 0.799, 0.5, 0.201, 0.2, 0].map(verdictOf)).toEqual([
    'yes',
    'yes',
    'not_sure',
    'not_sure',
    'not_sure',
    'no',
    'no',
  ]);
});

it.each([
  ['https://models.example/v1', true],
  ['http://127.0.0.1:9/v1', true],
  ['http://[::1]:9/', true],
  ['http://localhost/v1', true],
  ['http://models.example/v1', false],
  ['https://user:pass@models.example/v1', false],
  ['https://models.example/v1?key=1', false],
  ['https://models.example/v1#x', false],
  ['ftp://models.example', false],
  ['no address', false],
])('an address %s is usable: %s', (address, usable) => expect(isRouteAddress(address)).toBe(usable));
