/** Context pressure: what is counted only grows, and a handover is due only at a safe moment. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Boundary,
  estimateTokens,
  levelOf,
  messagesOf,
  newPressure,
  type Pressure,
  type PressureEvent,
  press,
  type SeenTurn,
} from '../../../extension/machines/pressure/index.ts';
import { verifies } from '../../verifies.ts';

const NOW = 1_764_500_000_000;
const SAFE: Boundary = {
  possible: true,
  auto: true,
  connected: true,
  quiet: true,
  working: false,
  messageOpen: false,
  transfer: false,
  rateLimited: false,
};
const NEVER = { ...SAFE, auto: false };

const turns = (count: number, tokens = 10, from = 0): SeenTurn[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${from + index}`,
    role: (from + index) % 2 === 0 ? 'user' : 'assistant',
    tokens,
  }));
const seen = (given: readonly SeenTurn[], turnsNamed = 0): PressureEvent => ({
  type: 'seen',
  turns: given,
  turnsNamed,
});
const after = (events: readonly PressureEvent[], boundary = NEVER): Pressure =>
  events.reduce((pressure, event) => press(pressure, event, boundary, NOW).pressure, newPressure(NOW));
/** Exactly at the level that calls for a handover. */
const LONG = after([seen([], 50)]);

describe('the length of a conversation', () => {
  it.each([
    ['healthy', 55_999, 31, 19],
    ['context_warning', 56_000, 32, 20],
    ['handoff_prepare', 64_000, 40, 24],
    ['rollover_recommended', 72_000, 46, 27],
    ['rollover_required', 80_000, 50, 30],
    ['high_risk', 92_000, 60, 36],
  ])('%s from %d tokens, %d messages or %d turns of the person on', (level, tokens, messages, people) => {
    verifies('extension.auto');
    expect(levelOf({ ...newPressure(NOW), tokens }, NOW)).toBe(level);
    expect(levelOf(after([seen([], messages)]), NOW)).toBe(level);
    expect(levelOf({ ...newPressure(NOW), userTurns: people }, NOW)).toBe(level);
    expect(levelOf({ ...newPressure(NOW), messages }, NOW)).toBe(level);
  });

  it('its age alone is a warning, never more; a clock that was put back makes it no older', () => {
    const half = 12 * 3_600_000;
    expect(levelOf(newPressure(NOW), NOW + half - 1)).toBe('healthy');
    expect(levelOf(newPressure(NOW), NOW + half)).toBe('context_warning');
    expect(levelOf(newPressure(NOW), NOW + 400 * half)).toBe('context_warning');
    expect(levelOf(newPressure(NOW), NOW - 400 * half)).toBe('healthy');
  });

  it('is the same in whatever pieces and order a virtualised page shows it, and never shrinks', () => {
    verifies('extension.auto', 'extension.pressure');
    const history = turns(70, 900);
    const piece = fc.record({
      from: fc.integer({ min: 0, max: 69 }),
      count: fc.integer({ min: 0, max: 12 }),
      named: fc.integer({ min: 0, max: 70 }),
      folded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        let pressure = newPressure(NOW);
        const known = new Set<string>();
        let floor = 0;
        for (const { from, count, named, folded } of pieces) {
          const mounted = history.slice(from, from + count);
          const shown = folded ? mounted.map((one) => ({ ...one, tokens: 3 })) : mounted;
          const next = press(pressure, seen(shown, named), NEVER, NOW).pressure;
          floor = Math.max(floor, named);
          for (const { id } of mounted) known.add(id);
          expect(next.tokens).toBeGreaterThanOrEqual(pressure.tokens);
          expect(messagesOf(next)).toBe(Math.max(known.size, floor));
          expect(next.tokens).toBe(Object.values(next.turns).reduce((sum, one) => sum + one, 0));
          pressure = next;
        }
        // All of it at last: as if it had been seen at once.
        const whole = press(pressure, seen(history, 70), NEVER, NOW).pressure;
        expect(whole.tokens).toBe(70 * 900);
        expect(whole.userTurns).toBe(35);
      }),
      { numRuns: 200 },
    );
  });

  it('a report that was told before changes nothing, so nothing is written', () => {
    const once = after([seen(turns(5), 5)]);
    for (const again of [seen(turns(5), 5), seen(turns(2), 1), seen([]), { type: 'look' } as const])
      expect(press(once, again, NEVER, NOW + 5).pressure).toBe(once);
  });

  it.each([
    [{ id: '', role: 'user', tokens: 1 }],
    [{ id: 'x'.repeat(129), role: 'user', tokens: 1 }],
    [{ id: '__proto__', role: 'user', tokens: 1 }],
    [{ id: 'm', role: 'tool', tokens: 1 }],
    [{ id: 'm', role: 'user', tokens: -1 }],
    [{ id: 'm', role: 'user', tokens: Number.NaN }],
    [{ id: 'm', role: 'user', tokens: Number.POSITIVE_INFINITY }],
    [{ id: 7, role: 'user', tokens: 1 }],
    [{}],
  ])('a page that says nonsense counts nothing: %j', (turn) => {
    verifies('extension.auto');
    const pressure = after([
      seen([turn as unknown as SeenTurn], Number.NaN),
      seen([], 1e9),
      seen([], -3),
      seen([], 1.5),
    ]);
    expect([pressure.tokens, messagesOf(pressure), pressure.turns]).toEqual([0, 0, {}]);
  });

  it('is kept in bounds, ids and numbers only', () => {
    const pressure = after(Array.from({ length: 30 }, (_, index) => seen(turns(400, 5, index * 400), 12_000)));
    expect(Object.keys(pressure.turns)).toHaveLength(400);
    expect(JSON.stringify(pressure).length).toBeLessThan(10_000);
    expect(levelOf(pressure, NOW)).toBe('high_risk');
  });

  it.each([
    ['letters', 'abcd'.repeat(1_000), 1_000],
    ['digits', '123'.repeat(1_000), 1_000],
    ['Japanese', '漢字かな'.repeat(250), 950],
    ['blanks', ' '.repeat(1_200), 100],
    ['marks', '{}'.repeat(500), 500],
    ['nothing', '', 0],
  ])('an estimate of %s', (_, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe('a handover', () => {
  const FIELDS = Object.keys(SAFE) as (keyof Boundary)[];
  it('is due when the conversation is long and every one of the conditions holds, else not', () => {
    verifies('extension.auto', 'extension.pressure');
    for (let mask = 0; mask < 2 ** FIELDS.length; mask += 1) {
      const boundary = { ...SAFE };
      for (const [index, field] of FIELDS.entries()) if (mask & (1 << index)) boundary[field] = !SAFE[field];
      const { due, pressure } = press(LONG, { type: 'look' }, boundary, NOW);
      expect(due, JSON.stringify(boundary)).toBe(mask === 0 ? 'context_pressure' : null);
      if (due === null) expect(pressure).toBe(LONG);
      else expect(pressure).toMatchObject({ attemptAt: NOW, attempts: 1 });
    }
  });

  it.each(['healthy', 'context_warning', 'handoff_prepare', 'rollover_recommended'])('is not due at %s', (level) => {
    const messages = { healthy: 1, context_warning: 32, handoff_prepare: 40, rollover_recommended: 46 }[level] ?? 0;
    expect(press(after([seen([], messages)]), { type: 'look' }, SAFE, NOW).due).toBeNull();
  });

  it('is tried again no sooner than after a minute, then later and later', () => {
    verifies('extension.auto');
    let pressure = LONG;
    const at: number[] = [];
    for (let second = 0; second < 7_200; second += 10) {
      const step = press(pressure, { type: 'look' }, SAFE, NOW + second * 1_000);
      pressure = step.pressure;
      if (step.due !== null) at.push(second);
    }
    expect(at.slice(0, 6)).toEqual([0, 60, 180, 420, 900, 1_800]);
    expect(at.length).toBeLessThan(14);
  });

  it('that has begun counts as done: nothing is due in the same step, and the count begins anew', () => {
    const tried = press(LONG, { type: 'look' }, SAFE, NOW).pressure;
    const begun = press(tried, { type: 'look' }, { ...SAFE, transfer: true }, NOW + 3_600_000);
    expect([begun.due, begun.pressure.attempts]).toEqual([null, 0]);
  });

  it.each([-86_400_000, 86_400_000])('a clock that jumps by %d ms does not hold it up', (jump) => {
    const tried = press(LONG, { type: 'look' }, SAFE, NOW).pressure;
    expect(press(tried, { type: 'look' }, SAFE, NOW + jump).due).toBe('context_pressure');
  });

  it.each([
    ['goal_handoff', 1, null],
    ['goal_handoff', 39, null],
    ['goal_handoff', 40, 'goal_handoff'],
    ['recovery_exhausted', 1, 'recovery_exhausted'],
    ['recovery_exhausted', 50, 'context_pressure'],
  ] as const)('wanted for %s at %d messages: %s', (reason, messages, due) => {
    verifies('extension.auto');
    const pressure = after([seen([], messages), { type: 'wanted', reason }]);
    expect(press(pressure, { type: 'look' }, SAFE, NOW).due).toBe(due);
    expect(press(pressure, { type: 'look' }, { ...SAFE, quiet: false }, NOW).due).toBeNull();
    const passed = press(pressure, { type: 'unwanted', reason }, NEVER, NOW).pressure;
    expect(passed.wanted).toBeNull();
  });
});
