/** Every state × every event × every gate of Auto, generated; and long random lives of one conversation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Auto, type AutoEvent, type Facts, judge, NEW_AUTO } from '../../../extension/machines/auto/index.ts';
import { verifies } from '../../verifies.ts';
import { BOTH, CALM, driver, env, goal, NO_SERVICES, NOW, OPEN_ANSWER, said, turn } from './support.ts';

const OPEN = turn(OPEN_ANSWER);
const GOAL = goal();

/** One state of each kind, as a real life brings it about. */
const STATES: Readonly<Record<string, () => Auto>> = {
  new: () => NEW_AUTO,
  unconfirmed: () => driver().give({ type: 'turn', turn: OPEN, confirmed: false }).auto,
  preparing: () => driver().give({ type: 'turn', turn: OPEN, confirmed: true }).auto,
  jev: () => at('jev').auto,
  llm: () => at('llm').auto,
  prior: () => at('prior').auto,
  supervising: () => at('supervise').auto,
  sending: () => at('sending').auto,
  sent: () => {
    const it = at('sending');
    return it.give({ type: 'finished', delivery: it.auto.sending?.delivery ?? '', as: 'sent' }).auto;
  },
  uncertain: () => {
    const it = at('sending');
    return it.give({ type: 'finished', delivery: it.auto.sending?.delivery ?? '', as: 'uncertain' }).auto;
  },
  refused: () => {
    const it = at('sending');
    return it.give({ type: 'finished', delivery: it.auto.sending?.delivery ?? '', as: 'blocked' }).auto;
  },
  done: () => {
    const it = at('jev');
    return it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: null, answers: answers(0) }).auto;
  },
};

function at(stage: 'jev' | 'llm' | 'prior' | 'supervise' | 'sending') {
  const it = driver().give({ type: 'turn', turn: OPEN, confirmed: true });
  const known = stage === 'prior' || stage === 'supervise' ? GOAL : null;
  const services = stage === 'llm' || stage === 'supervise' ? { evaluate: false, chat: true } : BOTH;
  it.give({ type: 'prepared', id: it.id(), turn: OPEN, services, goal: known });
  if (stage === 'sending') it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: null, answers: answers(1) });
  return it;
}

function answers(noul: number) {
  return { remains: { type: 'noul', noul } };
}

const idOf = (auto: Auto): string => auto.judging?.id ?? 'nobody';

const EVENTS: Readonly<Record<string, (auto: Auto) => AutoEvent>> = {
  'same turn, confirmed': () => ({ type: 'turn', turn: OPEN, confirmed: true }),
  'same turn, read': () => ({ type: 'turn', turn: OPEN, confirmed: false }),
  'another turn': () => ({ type: 'turn', turn: turn(OPEN_ANSWER, 'a2'), confirmed: true }),
  'empty turn': () => ({ type: 'turn', turn: turn(' \n ', 'a3'), confirmed: true }),
  'prepared without models': (auto) => ({
    type: 'prepared',
    id: idOf(auto),
    turn: OPEN,
    services: NO_SERVICES,
    goal: null,
  }),
  'nothing could be told': (auto) => ({
    type: 'prepared',
    id: idOf(auto),
    turn: OPEN,
    services: null,
    goal: 'unknown',
  }),
  'prepared with a goal': (auto) => ({ type: 'prepared', id: idOf(auto), turn: OPEN, services: BOTH, goal: GOAL }),
  'typed: yes': (auto) => ({ type: 'evaluated', id: idOf(auto), turn: OPEN, goal: GOAL, answers: answers(1) }),
  'typed: nothing': (auto) => ({ type: 'evaluated', id: idOf(auto), turn: OPEN, goal: GOAL, answers: null }),
  'chat: continue': (auto) => ({ type: 'chatted', id: idOf(auto), turn: OPEN, goal: GOAL, content: 'continue' }),
  'chat: a ruling': (auto) => ({ type: 'chatted', id: idOf(auto), turn: OPEN, goal: GOAL, content: said() }),
  'chat: nothing': (auto) => ({ type: 'chatted', id: idOf(auto), turn: OPEN, goal: GOAL, content: null }),
  'an answer to an older question': () => ({
    type: 'chatted',
    id: 'older:1',
    turn: OPEN,
    goal: GOAL,
    content: 'continue',
  }),
  'a person speaks': () => ({ type: 'accepted', by: 'person', news: false }),
  'a machine speaks': () => ({ type: 'accepted', by: 'machine', news: false }),
  'our message went out': (auto) => ({ type: 'finished', delivery: auto.sending?.delivery ?? 'other', as: 'sent' }),
  'our message was refused': (auto) => ({
    type: 'finished',
    delivery: auto.sending?.delivery ?? 'other',
    as: 'blocked',
  }),
  'our message is uncertain': (auto) => ({
    type: 'finished',
    delivery: auto.sending?.delivery ?? 'other',
    as: 'uncertain',
  }),
  'our message is held back': (auto) => ({
    type: 'finished',
    delivery: auto.sending?.delivery ?? 'other',
    as: 'held',
  }),
  'another browser has sent it': (auto) => ({
    type: 'finished',
    delivery: auto.sending?.delivery ?? 'other',
    as: 'elsewhere',
  }),
  'time passes': () => ({ type: 'look' }),
  'the worker was restarted': () => ({ type: 'restarted' }),
  'Auto is switched off': () => ({ type: 'stopped' }),
};

/** Each gate closed, one by one. */
const GATES: Readonly<Record<string, Partial<Facts>>> = {
  open: {},
  queue_first: { queued: 1 },
  auto_off: { auto: false },
  transfer_active: { transfer: true },
  site_progress_only: { judged: false },
  progress_off: { paceSec: 0 },
  unbound: { bound: false },
  runtime_unavailable: { connected: false },
  still_generating: { page: 'busy' },
  page_not_quiet: { page: 'not_quiet' },
  'no tab': { page: 'none' },
  message_in_flight: { messageInFlight: true },
  settle_first: { settlePending: true },
  delivery_uncertain: { uncertainAt: NOW },
  rate_limited: { rateLimited: true },
};

const CASES = Object.keys(STATES).flatMap((state) => Object.keys(EVENTS).map((event) => [state, event] as const));
/** States in which an answer may have been sent already: nothing more may be sent about it. */
const OVER = new Set(['sent', 'uncertain', 'done']);

describe('every state × every event', () => {
  it.each(CASES)('%s, %s: with a gate closed nothing is sent and no model is asked', (state, event) => {
    verifies('extension.auto');
    for (const [name, closed] of Object.entries(GATES)) {
      const before = STATES[state]?.() ?? NEW_AUTO;
      const given = EVENTS[event]?.(before);
      if (!given) throw new Error(event);
      const frozen = JSON.stringify(before);
      const step = judge(before, given, { ...CALM, ...closed }, env(NOW + 1_000));
      const kinds = step.effects.map(({ type }) => type);
      expect(JSON.stringify(before), 'the state itself is never changed').toBe(frozen);
      expect(JSON.parse(JSON.stringify(step.auto)), 'the state is plain JSON').toEqual(step.auto);
      if (name !== 'open') expect(kinds, `${name}: ${kinds}`).toEqual([]);
      expect(kinds.filter((kind) => kind === 'send').length).toBeLessThanOrEqual(1);
      if (OVER.has(state) && event !== 'another turn') expect(kinds).not.toContain('send');
      // Whoever is asked is written down, and whoever is written down is asked.
      if (kinds.some((kind) => kind === 'evaluate' || kind === 'chat' || kind === 'prepare'))
        expect(step.auto.judging).not.toBeNull();
      if (kinds.includes('send'))
        expect(step.auto).toMatchObject({ judging: null, sending: { delivery: expect.any(String) } });
    }
  });

  it('a closed gate says which one it is', () => {
    verifies('extension.auto');
    for (const [name, closed] of Object.entries(GATES)) {
      if (name === 'open' || name === 'no tab' || name === 'auto_off') continue;
      const { auto } = judge(NEW_AUTO, { type: 'turn', turn: OPEN, confirmed: true }, { ...CALM, ...closed }, env());
      expect(auto.result?.why, name).toBe(name);
    }
  });

  it('of two closed gates the first is named', () => {
    const names = Object.keys(GATES).filter((name) => !['open', 'no tab', 'auto_off'].includes(name));
    for (const [index, first] of names.entries()) {
      for (const second of names.slice(index + 1)) {
        const facts = { ...CALM, ...GATES[second], ...GATES[first] };
        const { auto } = judge(NEW_AUTO, { type: 'turn', turn: OPEN, confirmed: true }, facts, env());
        // The page has one state: the later of its two cannot hold beside the earlier.
        expect(names.indexOf(auto.result?.why ?? ''), `${first} + ${second}`).toBe(index);
      }
    }
  });
});

describe('a long life', () => {
  const moment = fc.record({
    event: fc.constantFrom(...Object.keys(EVENTS)),
    gate: fc.oneof({ weight: 6, arbitrary: fc.constant('open') }, fc.constantFrom(...Object.keys(GATES))),
    jump: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 400_000 }) },
      fc.integer({ min: -400_000_000, max: 400_000_000 }),
    ),
    answer: fc.integer({ min: 1, max: 3 }),
  });

  it('sends about one answer once, asks at most two chats about it, and ends without a person', () => {
    verifies('extension.auto');
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 120 }), (moments) => {
        let auto: Auto = NEW_AUTO;
        let now = NOW;
        const chats = new Map<string, number>();
        const out = new Map<string, 'open' | 'out'>();
        for (const { event, gate, jump, answer } of moments) {
          now += jump;
          const made = EVENTS[event]?.(auto);
          if (!made) throw new Error(event);
          const given =
            made.type === 'turn' && made.turn.answer.trim() !== ''
              ? { ...made, turn: turn(OPEN_ANSWER, `a${answer}`) }
              : made;
          const facts = { ...CALM, ...GATES[gate] };
          const about = auto.judging?.answer.id ?? 'none';
          if (given.type === 'finished' && auto.sending?.delivery === given.delivery)
            out.set(auto.sending.answer.id ?? '', given.as === 'blocked' || given.as === 'held' ? 'open' : 'out');
          const step = judge(auto, given, facts, env(now));
          for (const effect of step.effects) {
            if (effect.type === 'chat') chats.set(effect.id, (chats.get(effect.id) ?? 0) + 1);
            if (effect.type === 'send') {
              expect(gate).toBe('open');
              // The last answer that went out is remembered; an older one is behind others by then.
              if (auto.sealed?.id === about) expect(out.get(about)).not.toBe('out');
            }
          }
          auto = step.auto;
        }
        expect([...chats.values()].every((count) => count <= 2)).toBe(true);
        expect(auto.nudges).toBeLessThanOrEqual(12);
        expect(auto.scripted).toBeLessThanOrEqual(3);
      }),
      { numRuns: 300 },
    );
  });
});
