/** Every state of a conversation's length, with every event that can happen to it, under every circumstance. */
import { expect, it } from 'vitest';
import {
  type Boundary,
  levelOf,
  messagesOf,
  newPressure,
  type Pressure,
  type PressureEvent,
  press,
} from '../../../extension/machines/pressure/index.ts';
import { verifies } from '../../verifies.ts';

const NOW = 1_764_500_000_000;
const LEVELS = [0, 32, 40, 46, 50, 60];
const REASONS = [null, 'goal_handoff', 'recovery_exhausted'] as const;
const ATTEMPTS = [
  { attemptAt: null, attempts: 0 },
  { attemptAt: NOW - 10_000, attempts: 1 },
  { attemptAt: NOW - 86_400_000, attempts: 5 },
  { attemptAt: NOW + 86_400_000, attempts: 2 },
];
const STATES: Pressure[] = LEVELS.flatMap((floor) =>
  REASONS.flatMap((wanted) => ATTEMPTS.map((tried) => ({ ...newPressure(NOW - 1_000), floor, wanted, ...tried }))),
);

const turn = { id: 'm1', role: 'user' as const, tokens: 10 };
const EVENTS: PressureEvent[] = [
  { type: 'seen', turns: [], turnsNamed: 0 },
  { type: 'seen', turns: [turn], turnsNamed: 55 },
  {
    type: 'seen',
    turns: [
      { ...turn, tokens: Number.NaN },
      { ...turn, id: '__proto__' },
    ],
    turnsNamed: Number.NaN,
  },
  { type: 'wanted', reason: 'goal_handoff' },
  { type: 'wanted', reason: 'recovery_exhausted' },
  { type: 'unwanted', reason: 'recovery_exhausted' },
  { type: 'look' },
];
const FLAGS = Object.keys({
  possible: 0,
  auto: 0,
  connected: 0,
  quiet: 0,
  working: 0,
  messageOpen: 0,
  transfer: 0,
  rateLimited: 0,
} satisfies Record<keyof Boundary, 0>) as (keyof Boundary)[];
const BOUNDARIES: Boundary[] = Array.from(
  { length: 2 ** FLAGS.length },
  (_, bits) => Object.fromEntries(FLAGS.map((flag, at) => [flag, (bits & (1 << at)) > 0])) as unknown as Boundary,
);
const isSafe = (around: Boundary): boolean =>
  FLAGS.every((flag) => around[flag] === ['possible', 'auto', 'connected', 'quiet'].includes(flag));

it('only grows, and is handed over at a safe moment alone, written down as an attempt, not twice in a minute', () => {
  verifies('extension.auto', 'extension.handoff');
  const broken = new Set<string>();
  let [steps, due] = [0, 0];
  for (const before of STATES) {
    for (const event of EVENTS) {
      for (const around of BOUNDARIES) {
        const { pressure, due: reason } = press(before, event, around, NOW);
        steps += 1;
        if (messagesOf(pressure) < messagesOf(before) || pressure.tokens < before.tokens)
          broken.add('has become shorter');
        if (JSON.stringify(JSON.parse(JSON.stringify(pressure))) !== JSON.stringify(pressure)) broken.add('is no JSON');
        if (reason === null) {
          if (pressure.attempts > before.attempts) broken.add('counts an attempt that was none');
          continue;
        }
        due += 1;
        if (!isSafe(around)) broken.add('hands over at an unsafe moment');
        if (pressure.attemptAt !== NOW || pressure.attempts !== before.attempts + 1) broken.add('is not written down');
        const level = levelOf(pressure, NOW);
        const long = level === 'rollover_required' || level === 'high_risk';
        if (!long && pressure.wanted === null) broken.add('hands over what is short, and nobody wants');
        if (!long && reason === 'goal_handoff' && (level === 'healthy' || level === 'context_warning'))
          broken.add('follows the goal in a short chat');
        const since = before.attemptAt === null ? Number.POSITIVE_INFINITY : NOW - before.attemptAt;
        if (since >= 0 && since < 60_000) broken.add('tries again within a minute');
        if (press(pressure, { type: 'look' }, around, NOW + 1_000).due !== null) broken.add('is due twice');
      }
    }
  }
  expect([...broken]).toEqual([]);
  expect(steps).toBe(STATES.length * EVENTS.length * 256);
  expect(due).toBeGreaterThan(0);
});
