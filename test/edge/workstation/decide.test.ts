import { describe, expect, it } from 'vitest';
import { graceEndMs, judgeMissing, judgeSilence, type MissingFacts } from '../../../edge/workstation/decide.ts';
import { verifies } from '../../verifies.ts';

describe('a call that was sent and is not in the hello of the link that is back', () => {
  const cases: Array<[MissingFacts, ReturnType<typeof judgeMissing>]> = [];
  for (const callClass of ['read', 'write'] as const) {
    for (const sameBoot of [true, false]) {
      for (const accepted of [true, false, undefined]) {
        for (const runtimeKnown of [true, false]) {
          for (const [sends, sameRuntime] of [
            [1, true],
            [1, false],
            [2, false],
          ] as const) {
            const neverHad = sameBoot && accepted !== true;
            const expected = neverHad
              ? 'send'
              : callClass === 'read'
                ? sends < 2
                  ? 'send'
                  : 'unknown'
                : !runtimeKnown
                  ? 'wait'
                  : !sameBoot && sameRuntime
                    ? 'send'
                    : 'ask';
            cases.push([{ callClass, sameBoot, sameRuntime, accepted, runtimeKnown, sends }, expected]);
          }
        }
      }
    }
  }

  it.each(cases)('%o → %s', (facts, expected) => {
    verifies('link.outcome-table');
    expect(judgeMissing(facts)).toBe(expected);
  });

  it('as a write is never sent again, unless the same process never had it or the same ledger would join it', () => {
    verifies('dispatch.at-most-once');
    const again = cases.filter(([facts, verdict]) => facts.callClass === 'write' && verdict === 'send');
    expect(again.length).toBeGreaterThan(0);
    for (const [facts] of again) {
      expect(facts).toMatchObject(facts.sameBoot ? {} : { sameRuntime: true, runtimeKnown: true });
      if (facts.sameBoot) expect(facts.accepted).not.toBe(true);
    }
  });
});

describe('silence', () => {
  const base = { connectedAtMs: 1000, lastFrameAtMs: 1000, limitMs: 45_000 };
  it.each([
    ['just connected', { lastPingAtMs: undefined, nowMs: 1001 }, 1000, false],
    ['pinged lately', { lastPingAtMs: 100_000, nowMs: 145_000 }, 100_000, false],
    ['one ms too long', { lastPingAtMs: 100_000, nowMs: 145_001 }, 100_000, true],
    ['never pinged and old', { lastPingAtMs: undefined, nowMs: 46_001 }, 1000, true],
  ])('%s', (_, facts, lastSeenAtMs, silent) => {
    verifies('link.liveness');
    expect(judgeSilence({ ...base, ...facts })).toEqual({ lastSeenAtMs, silent });
  });
});

describe('the grace for a link that is not there', () => {
  it.each([
    ['never seen', undefined, 10_000, 10_000],
    ['seen just now', 9_000, 10_000, 24_000],
    ['seen long ago', 1_000, 60_000, 60_000],
    ['bounded by the deadline', 49_000, 50_000, 55_000],
  ])('%s', (_, lastSeenAtMs, nowMs, end) => {
    expect(graceEndMs({ lastSeenAtMs, nowMs, graceMs: 15_000, deadlineAtMs: 55_000 })).toBe(Math.max(end, nowMs));
  });
});
