import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterEnding,
  backoffMs,
  type Ending,
  linkAddress,
  look,
  type Next,
  type Vitals,
} from '../../../link/socket/index.ts';
import { verifies } from '../../verifies.ts';

const fresh = { failures: 0, clockCorrected: false };
const closed = (code: number, connectedMs?: number): Ending => ({
  kind: 'closed',
  code,
  reason: 'why',
  ...(connectedMs === undefined ? {} : { connectedMs }),
});

describe('after an ending', () => {
  const table: [string, Ending, Partial<Next>][] = [
    ['revoked ends', closed(4401, 60_000), { do: 'end' }],
    [
      'a foreign contract waits for a promotion or 10 minutes',
      closed(4403, 60_000),
      { do: 'await_promotion', forMs: 600_000 },
    ],
    ['a newer link parks this one for 5 minutes', closed(4409, 60_000), { do: 'park', forMs: 300_000 }],
    ['no hello in time reconnects', closed(4400, 1), { do: 'reconnect', failures: 1 }],
    ['a policy violation of a stranger reconnects', closed(1008, 60_000), { do: 'reconnect', failures: 0 }],
    ['a normal close reconnects', closed(1000, 60_000), { do: 'reconnect', failures: 0 }],
    ['a deploy reconnects', closed(1012, 60_000), { do: 'reconnect', failures: 0 }],
    ['a message that was too large reconnects', closed(1009, 60_000), { do: 'reconnect', failures: 0 }],
    ['a broken socket reconnects', closed(1006, 60_000), { do: 'reconnect', failures: 0 }],
    ['a code that nobody knows reconnects', closed(4999, 60_000), { do: 'reconnect', failures: 0 }],
    ['one that fell at once slows down', closed(1006, 10), { do: 'reconnect', failures: 1 }],
    ['one that was never welcomed slows down', closed(1006), { do: 'reconnect', failures: 1 }],
    ['nobody answers', { kind: 'unreachable', message: 'x' }, { do: 'reconnect', failures: 1 }],
    ['refused: revoked', { kind: 'refused', reason: 'revoked', message: 'x' }, { do: 'end' }],
    ['refused: contract', { kind: 'refused', reason: 'contract', message: 'x' }, { do: 'await_promotion' }],
    ['refused: protocol', { kind: 'refused', reason: 'protocol', message: 'x' }, { do: 'wait' }],
    ['refused: suspended', { kind: 'refused', reason: 'suspended', message: 'x' }, { do: 'wait' }],
    ['401: revoked', { kind: 'http', status: 401, code: 'device_revoked', message: 'x', edgeNowMs: 1 }, { do: 'end' }],
    ['403: suspended', { kind: 'http', status: 403, code: 'device_suspended', message: 'x' }, { do: 'wait' }],
    [
      '401: the clock',
      { kind: 'http', status: 401, code: 'device_clock_skew', message: 'x', edgeNowMs: 5 },
      { do: 'correct_clock', edgeNowMs: 5 },
    ],
    [
      '401 without a word, but with a date',
      { kind: 'http', status: 401, message: 'x', edgeNowMs: 5 },
      { do: 'correct_clock' },
    ],
    [
      '401: unknown device',
      { kind: 'http', status: 401, code: 'device_auth_failed', message: 'x', edgeNowMs: 5 },
      { do: 'reconnect' },
    ],
    ['a gateway', { kind: 'http', status: 502, message: 'x' }, { do: 'reconnect', failures: 1 }],
    ['too many requests', { kind: 'http', status: 429, code: 'rate_limited', message: 'x' }, { do: 'reconnect' }],
  ];
  it.each(table)('%s', (_, ending, next) => {
    verifies('link.close-codes');
    expect(afterEnding(ending, fresh)).toMatchObject(next);
  });

  it('corrects the clock once only', () => {
    const skew: Ending = { kind: 'http', status: 401, code: 'device_clock_skew', message: 'x', edgeNowMs: 5 };
    expect(afterEnding(skew, { failures: 3, clockCorrected: true })).toMatchObject({ do: 'reconnect', failures: 4 });
  });

  it('never gives up for a close code that is not one of the three', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 4999 }), fc.string(), (code, reason) => {
        fc.pre(code !== 4401 && code !== 4403 && code !== 4409);
        expect(afterEnding({ kind: 'closed', code, reason }, fresh).do).toBe('reconnect');
      }),
    );
  });
});

describe('the backoff', () => {
  it('tries within half a second at first and never waits longer than a minute', () => {
    verifies('link.connect');
    expect(backoffMs(0, 0.999_999)).toBeLessThanOrEqual(500);
    expect(backoffMs(1, 0.999_999)).toBeLessThanOrEqual(1000);
    expect(backoffMs(1000, 0.999_999)).toBeLessThanOrEqual(60_000);
    expect(backoffMs(1000, 0.999_999)).toBeGreaterThan(59_000);
  });

  it('spreads over the whole interval', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, random) => {
        const ceiling = Math.min(60_000, 500 * 2 ** failures);
        const ms = backoffMs(failures, random);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(Math.abs(ms - ceiling * random)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a look at a connection', () => {
  const at0: Vitals = { heardMs: 0, pingedMs: 0, lookedMs: 0, lookedWallMs: 0 };
  const table: [string, Vitals, number, number, ReturnType<typeof look>['verdict']][] = [
    ['nothing to do', at0, 5_000, 5_000, 'alive'],
    ['a ping is due', { ...at0, lookedMs: 15_000, lookedWallMs: 15_000 }, 20_000, 20_000, 'ping'],
    [
      'silent, but not long enough',
      { heardMs: 0, pingedMs: 40_000, lookedMs: 40_000, lookedWallMs: 40_000 },
      44_999,
      44_999,
      'alive',
    ],
    [
      'silent for 45 s',
      { heardMs: 0, pingedMs: 40_000, lookedMs: 40_000, lookedWallMs: 40_000 },
      45_000,
      45_000,
      'dead',
    ],
    ['an hour passed between two looks', { ...at0 }, 5_000, 3_600_000, 'slept'],
    ['the process was stopped for longer than a peer may be silent', at0, 60_000, 60_000, 'slept'],
    [
      'it was stopped before the probe could be answered',
      { ...at0, pingedMs: 5_000, probedMs: 5_000, lookedMs: 5_000, lookedWallMs: 5_000 },
      60_000,
      60_000,
      'slept',
    ],
    [
      'a look right after the sleep, before the probe can be answered',
      { ...at0, pingedMs: 60_000, probedMs: 60_000, lookedMs: 60_000, lookedWallMs: 60_000 },
      61_000,
      61_000,
      'alive',
    ],
    ['the clock was set back', { ...at0, lookedWallMs: 3_600_000 }, 5_000, 0, 'alive'],
    [
      'the probe after sleep got no answer',
      { ...at0, pingedMs: 5_000, probedMs: 5_000, lookedMs: 5_000, lookedWallMs: 5_000 },
      8_000,
      8_000,
      'dead',
    ],
    [
      'the probe after sleep was answered',
      { heardMs: 5_100, pingedMs: 5_000, probedMs: 5_000, lookedMs: 5_000, lookedWallMs: 5_000 },
      8_000,
      8_000,
      'alive',
    ],
    [
      'the probe may still be answered',
      { ...at0, pingedMs: 5_000, probedMs: 5_000, lookedMs: 5_000, lookedWallMs: 5_000 },
      7_999,
      7_999,
      'alive',
    ],
  ];
  it.each(table)('%s', (_, vitals, mono, wall, verdict) => {
    verifies('link.liveness');
    expect(look(vitals, mono, wall).verdict).toBe(verdict);
  });

  it('outlives a clock that jumps when the edge answers the probe', () => {
    const slept = look(at0, 5_000, 1e12);
    expect(slept.verdict).toBe('slept');
    const answered = look({ ...slept.vitals, heardMs: 5_020 }, 8_000, 1e12 + 3_000);
    expect(answered.verdict).toBe('alive');
    expect(answered.vitals.probedMs).toBeUndefined();
  });

  it('notices a dead peer within two missed pings and a margin, whatever the wall clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 9, maxLength: 9 }), (walls) => {
        let vitals = at0;
        const verdicts = walls.map((wall, n) => {
          const seen = look(vitals, (n + 1) * 5_000, wall);
          vitals = seen.vitals;
          return seen.verdict;
        });
        expect(verdicts).toContain('dead');
      }),
    );
  });
});

describe('the address', () => {
  it.each([
    ['https://edge.example', 'wss://edge.example/ws/dev_1'],
    ['https://edge.example:8443', 'wss://edge.example:8443/ws/dev_1'],
    ['http://127.0.0.1:8787', 'ws://127.0.0.1:8787/ws/dev_1'],
    ['http://localhost:8787', 'ws://localhost:8787/ws/dev_1'],
    ['http://[::1]:8787', 'ws://[::1]:8787/ws/dev_1'],
  ])('%s → %s', (origin, address) => {
    expect(linkAddress(origin, 'dev_1').href).toBe(address);
  });

  it.each(['http://edge.example', 'http://10.0.0.7:8787', 'http://127.evil.example', 'ftp://edge.example'])(
    'refuses %s',
    (origin) => {
      expect(() => linkAddress(origin, 'dev_1')).toThrow('Nothing was sent');
    },
  );
});
