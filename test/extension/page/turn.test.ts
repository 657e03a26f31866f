/** Tables of the page’s decisions: when a person has spoken, and when a turn is over. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  PROBE_PAUSE_MS,
  PROBES_UNANSWERED,
  STILL_MS,
  SUBMIT_EXPLAINS_MS,
  type TurnEffect,
} from '../../../extension/machines/page/index.ts';
import { old, page, reply, server, user } from './looked-at.ts';

const types = (effects: readonly TurnEffect[]) => effects.map(({ type }) => type);

describe('a user turn', () => {
  test('that stood there at the first look is reported to nobody', () => {
    expect(page().look(old).look(old).effects).toEqual([]);
  });

  test.each(['person', 'extension'] as const)('by the %s is accepted once, when it has an id of the site', (by) => {
    const seen = page()
      .look(old)
      .press(by)
      .look([...old, user(null, 'words of u2')])
      .look([...old, user('u2')])
      .look([...old, user('u2')]);
    expect(seen.effects).toEqual([{ type: 'accepted', user: { id: 'u2', text: 'words of u2' }, submitted: by }]);
  });

  test('that another device wrote stands behind a known one and counts as a person’s', () => {
    const seen = page()
      .look(old)
      .look([...old, user('u2')]);
    expect(seen.effects).toMatchObject([{ type: 'accepted', submitted: 'person' }]);
  });

  test('that only scrolling brought into the document is none', () => {
    const seen = page()
      .look([user('u9'), reply('a9')])
      .look([user('u3'), reply('a3')]);
    expect(seen.effects).toEqual([]);
  });

  test('an old press explains nothing', () => {
    const seen = page()
      .look([])
      .press('extension')
      .look([user('u2')], { ms: SUBMIT_EXPLAINS_MS + 1 });
    expect(seen.effects).toEqual([]);
  });

  test('of a new chat is accepted though the address changed with it', () => {
    const seen = page()
      .look([], { conversation: null })
      .press('person')
      .look([user('u1')], { conversation: 'c' });
    expect(seen.effects).toMatchObject([{ type: 'accepted', submitted: 'person' }]);
  });

  test('of another conversation that was opened meanwhile is none of this one', () => {
    const seen = page()
      .look(old)
      .press('person')
      .look([user('x1')], { conversation: 'other' });
    expect(seen.effects).toEqual([]);
  });
});

describe('the end of a turn', () => {
  const asked = () =>
    page()
      .look(old)
      .press('person')
      .look([...old, user('u2')]);
  const whole = [...old, user('u2'), reply('a2', 'whole answer')];

  test('is asked of the server only after the text has stood still while nothing works', () => {
    const seen = asked()
      .look([...old, user('u2'), reply('a2', 'half')], { busy: true })
      .look(whole, { busy: true, ms: STILL_MS * 3 })
      .look(whole, { busy: true, ms: STILL_MS * 3 });
    expect(types(seen.effects)).toEqual(['accepted']);
    seen.look(whole, { ms: 800 }).look(whole, { ms: STILL_MS });
    expect(types(seen.effects)).toEqual(['accepted', 'ask_server']);
  });

  test('a page that cannot say whether it is busy ends nothing', () => {
    const seen = asked()
      .look(whole, { busy: null })
      .look(whole, { busy: null, ms: STILL_MS * 4 });
    expect(types(seen.effects)).toEqual(['accepted']);
  });

  test('is reported once, with the server’s own texts, when the server agrees', () => {
    const seen = asked().look(whole).look(whole, { ms: STILL_MS }).answer(server({})).answer(server({}));
    seen.look(whole, { ms: PROBE_PAUSE_MS * 9 });
    expect(seen.effects.slice(1)).toEqual([
      { type: 'ask_server' },
      {
        type: 'ended',
        user: { id: 'u2', text: 'words of u2' },
        assistant: { id: 'a2', text: 'whole answer' },
        server: true,
      },
    ]);
  });

  test.each([
    ['not finished', server({ finished: 'unfinished' })],
    ['unknown', server({ finished: 'unknown' })],
    ['about an older turn', server({ latestUser: user('u1') })],
    ['without an answer', server({ latestAssistant: null })],
  ])('%s: nothing has ended, and the next question waits longer each time', (_name, view) => {
    const seen = asked().look(whole);
    let questions = 0;
    const gaps: number[] = [];
    let last = seen.now;
    for (let at = 0; at < 600; at += 1) {
      seen.look(whole);
      if (types(seen.effects).filter((type) => type === 'ask_server').length === questions) continue;
      questions += 1;
      gaps.push(seen.now - last);
      last = seen.now;
      seen.answer(view);
    }
    expect(types(seen.effects)).not.toContain('ended');
    expect(questions).toBeGreaterThan(3);
    expect(gaps.slice(1)).toEqual([...gaps.slice(1)].sort((a, b) => a - b));
  });

  test('without any readable answer the page’s own look decides in the end, and says so', () => {
    const seen = asked().look(whole).look(whole, { ms: STILL_MS });
    for (let at = 0; at < PROBES_UNANSWERED; at += 1) seen.answer(null);
    expect(seen.effects.at(-1)).toEqual({
      type: 'ended',
      user: { id: 'u2', text: 'words of u2' },
      assistant: { id: 'a2', text: 'whole answer' },
      server: false,
    });
  });

  test('a turn that was under way when the page script came is followed to its end', () => {
    const seen = page().look([...old, user('u2'), reply('a2', 'ha')], { busy: true });
    seen.look(whole, { busy: true }).look(whole).look(whole, { ms: STILL_MS }).answer(server({}));
    expect(seen.effects.at(-1)).toMatchObject({ type: 'ended', user: { id: 'u2' }, server: true });
  });

  test('an answer that comes after the person left is about nobody', () => {
    const seen = asked()
      .look(whole)
      .look(whole, { ms: STILL_MS })
      .look([user('x')], { conversation: 'other' });
    seen.answer(server({}));
    expect(types(seen.effects)).not.toContain('ended');
  });

  test('whatever is seen, a turn is accepted at most once and ended at most once', () => {
    const glances = fc.record({
      mounted: fc.integer({ min: 0, max: whole.length }),
      busy: fc.constantFrom(true, false, null),
      ms: fc.integer({ min: 1, max: 40_000 }),
      server: fc.constantFrom(null, server({}), server({ finished: 'unfinished' }), undefined),
    });
    fc.assert(
      fc.property(fc.array(glances, { maxLength: 60 }), (steps) => {
        const seen = page().look(old).press('extension');
        for (const step of steps) {
          seen.look(whole.slice(0, step.mounted), step);
          if (step.server !== undefined) seen.answer(step.server);
        }
        const accepted = seen.effects.filter((effect) => effect.type === 'accepted' && effect.user.id === 'u2');
        const ended = seen.effects.filter((effect) => effect.type === 'ended');
        return accepted.length <= 1 && ended.length <= accepted.length;
      }),
    );
  });
});
