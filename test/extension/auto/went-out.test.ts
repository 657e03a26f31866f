/** What Auto has sent: paced, bounded, never repeated in doubt, whatever the clock does. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { jev, judging, kinds, llm, OPEN } from './judging.ts';
import { BOTH, type Driver, driver, NO_SERVICES, OPEN_ANSWER, turn } from './support.ts';

describe('what went out', () => {
  const sending = () => llm(jev(judging(), 0.5), 'continue');
  const id = (it: Driver) => it.auto.sending?.delivery ?? 'none';

  it('settles the answer, and the next one waits for the pace', () => {
    verifies('extension.auto');
    const it = sending();
    expect(it.auto.sealed).toBeNull();
    it.give({ type: 'finished', delivery: id(it), as: 'sent' });
    expect(it.auto).toMatchObject({ sealed: { id: 'a1' }, speaker: 'machine', nudges: 1, sending: null });
    it.give({ type: 'turn', turn: turn(OPEN_ANSWER, 'a2'), confirmed: true });
    expect(it.auto.result).toMatchObject({ why: 'cooldown' });
    it.now += 60_000;
    expect(kinds(it.give({ type: 'turn', turn: turn(OPEN_ANSWER, 'a2'), confirmed: true }))).toEqual(['prepare']);
  });

  it('holds everything else back while it is on its way', () => {
    verifies('extension.auto');
    const it = sending();
    it.give({ type: 'turn', turn: turn(OPEN_ANSWER, 'a2'), confirmed: true });
    expect(it.auto).toMatchObject({ judging: null, result: { why: 'message_in_flight' } });
    it.now += 3_600_000;
    expect(kinds(it.give({ type: 'look' }))).toEqual([]);
  });

  it('and was refused is tried again, a few times, later and later', () => {
    verifies('extension.auto');
    const it = sending();
    const pauses: number[] = [];
    for (let tries = 0; tries < 20 && it.auto.sending !== null; tries += 1) {
      it.give({ type: 'finished', delivery: id(it), as: 'blocked' });
      expect(it.auto.sealed).toBeNull();
      if (it.auto.retryAt === null) break;
      pauses.push(it.auto.retryAt - it.now);
      it.now = it.auto.retryAt;
      expect(kinds(it.give({ type: 'look' }))).toEqual(['read']);
      it.give({ type: 'turn', turn: OPEN, confirmed: true });
      it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: BOTH, goal: null });
      jev(it, 0.9);
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000]);
    it.now += 24 * 3_600_000;
    expect(kinds(it.give({ type: 'look' }))).toEqual([]);
  });

  it('and went behind another one is no failure: it comes again, however often, and has used nothing up', () => {
    verifies('extension.auto', 'extension.two-browsers');
    const it = sending();
    for (let tries = 0; tries < 12; tries += 1) {
      it.give({ type: 'finished', delivery: id(it), as: 'held' });
      expect(it.auto).toMatchObject({
        ...{ sending: null, sealed: null, retries: 0, nudges: 0, retryAt: it.now + 60_000 },
        result: { why: 'message_in_flight' },
      });
      it.now += 60_000;
      expect(kinds(it.give({ type: 'look' }))).toEqual(['read']);
      it.give({ type: 'turn', turn: OPEN, confirmed: true });
      it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: BOTH, goal: null });
      jev(it, 0.9);
    }
  });

  it('and was sent by another browser is over, and counts as one in a row; so does one of the goal', () => {
    verifies('extension.auto', 'extension.two-browsers');
    const it = sending();
    const delivery = id(it);
    it.give({ type: 'finished', delivery, as: 'elsewhere' });
    expect(it.auto).toMatchObject({
      ...{ sending: null, sealed: { id: 'a1' }, retryAt: null, retries: 0, nudges: 1, speaker: 'machine' },
      result: { why: 'continued_elsewhere' },
    });
    const over = it.auto;
    expect(it.give({ type: 'finished', delivery, as: 'blocked' }).auto).toBe(over);
    // In doubt is in doubt: only its own turn says more.
    const doubted = sending();
    doubted.give({ type: 'finished', delivery: id(doubted), as: 'uncertain' });
    const { auto } = doubted;
    for (const as of ['held', 'elsewhere'] as const)
      expect(doubted.give({ type: 'finished', delivery: id(doubted), as }).auto).toBe(auto);
  });

  it('and was never seen is not repeated; a late sight of it counts once', () => {
    verifies('extension.auto');
    const it = sending();
    const delivery = id(it);
    it.give({ type: 'finished', delivery, as: 'uncertain' });
    expect(it.auto).toMatchObject({ sealed: { id: 'a1' }, nudges: 1, result: { why: 'send_uncertain' } });
    const doubtful = it.auto;
    expect(it.give({ type: 'finished', delivery, as: 'blocked' }).auto).toBe(doubtful);
    it.give({ type: 'finished', delivery, as: 'sent' });
    expect(it.auto).toMatchObject({ nudges: 1, result: { why: 'continued' } });
    it.give({ type: 'finished', delivery, as: 'sent' });
    expect(it.auto.nudges).toBe(1);
  });

  it('is bounded, however sure a model is; a person or news begin the count anew', () => {
    verifies('extension.auto');
    const it = driver();
    for (let n = 1; n <= 40; n += 1) {
      it.now += 61_000;
      const given = turn(OPEN_ANSWER, `a${n}`);
      it.give({ type: 'turn', turn: given, confirmed: true });
      if (it.auto.judging === null) break;
      it.give({ type: 'prepared', id: it.id(), turn: given, services: BOTH, goal: null });
      jev(it, 1);
      it.give({ type: 'finished', delivery: id(it), as: 'sent' }).give({
        type: 'accepted',
        by: 'machine',
        news: false,
      });
    }
    expect(it.sent).toHaveLength(12);
    expect(it.auto.result).toMatchObject({ why: 'nudges_spent' });
    it.give({ type: 'accepted', by: 'machine', news: true });
    expect(it.auto.nudges).toBe(0);
    it.give({ type: 'accepted', by: 'person', news: false });
    expect(it.auto).toMatchObject({ speaker: 'person', spokeAt: it.now });
  });

  it('by the script alone is bounded more narrowly', () => {
    const it = driver();
    for (let n = 1; n <= 20; n += 1) {
      it.now += 61_000;
      const given = turn(OPEN_ANSWER, `a${n}`);
      it.give({ type: 'turn', turn: given, confirmed: true });
      it.give({ type: 'prepared', id: it.id(), turn: given, services: NO_SERVICES, goal: null });
      it.give({ type: 'finished', delivery: id(it), as: 'sent' });
    }
    expect(it.sent).toHaveLength(3);
  });
});

describe('a clock that jumps', () => {
  it.each([-10 * 365 * 86_400_000, -86_400_000, 86_400_000, 10 * 365 * 86_400_000])(
    'by %d ms holds nothing up for ever and sends nothing twice',
    (jump) => {
      verifies('extension.auto');
      const it = llm(jev(judging(), 0.5), 'continue');
      it.give({ type: 'finished', delivery: it.auto.sending?.delivery ?? '', as: 'sent' });
      it.now += jump;
      it.give({ type: 'turn', turn: OPEN, confirmed: true });
      expect(it.auto.judging).toBeNull();
      const next = turn(OPEN_ANSWER, 'a2');
      for (let minute = 0; minute < 15 && it.auto.judging === null; minute += 1) {
        it.now += 60_000;
        it.give({ type: 'look' });
        it.give({ type: 'turn', turn: next, confirmed: false });
      }
      expect(it.auto.judging).not.toBeNull();
      expect(it.sent).toHaveLength(1);
    },
  );
});
