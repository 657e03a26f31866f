/** Tables of the page's decisions: when a turn is over, and whether a message arrived. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answered,
  arrivalAtServer,
  arrivalOf,
  baselineOf,
  drafted,
  glance,
  latestTurn,
  NO_WATCH,
  PROBE_PAUSE_MS,
  PROBES_UNANSWERED,
  STILL_MS,
  SUBMIT_EXPLAINS_MS,
  sameText,
  submitted,
  type TurnEffect,
  type Watch,
} from '../../../extension/machines/page/index.ts';
import type { Message, ServerView } from '../../../extension/site/index.ts';

import { verifies } from '../../verifies.ts';

const user = (id: string | null, text = `words of ${id}`): Message => ({ role: 'user', id, text });
const reply = (id: string | null, text = `answer ${id}`): Message => ({ role: 'assistant', id, text });
const server = (part: Partial<ServerView>): ServerView => ({
  latestUser: user('u2'),
  latestAssistant: reply('a2', 'whole answer'),
  currentRole: 'assistant',
  finished: 'finished',
  updatedAtMs: null,
  ...part,
});

/** A page that is looked at, second by second. */
function page() {
  let watch: Watch = NO_WATCH;
  let now = 1_000_000;
  const effects: TurnEffect[] = [];
  const page = {
    effects,
    get now() {
      return now;
    },
    press(by: 'person' | 'extension', text: string | null = null) {
      watch = submitted(watch, by, now, text);
      return page;
    },
    /** The composer held this when a person clicked somewhere. */
    draft(text: string) {
      watch = drafted(watch, text, now);
      return page;
    },
    look(
      mounted: readonly Message[],
      options: { busy?: boolean | null; conversation?: string | null; ms?: number } = {},
    ) {
      now += options.ms ?? 800;
      const conversation = options.conversation === undefined ? 'c' : options.conversation;
      const step = glance(watch, {
        now,
        conversation,
        mounted,
        busy: options.busy === undefined ? false : options.busy,
      });
      watch = step.watch;
      effects.push(...step.effects);
      return page;
    },
    answer(view: ServerView | null, hasServer = true) {
      const step = answered(watch, view, now, hasServer);
      watch = step.watch;
      effects.push(...step.effects);
      return page;
    },
  };
  return page;
}
const old = [user('u1'), reply('a1')];
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

describe('the arrival of a message', () => {
  const before = { mounted: old, turnsSeen: 2 };
  const baseline = baselineOf(before);
  const text = 'first\n\nthird';
  const after = (mounted: readonly Message[]) => arrivalOf(baseline, { mounted, turnsSeen: mounted.length }, text);

  test.each([
    ['nothing new', old, { state: 'nothing' }],
    ['our text under a new id', [...old, user('u2', text)], { state: 'arrived', messageId: 'u2' }],
    [
      'our text with other blanks at line ends',
      [...old, user('u2', 'first  \n\nthird\n')],
      { state: 'arrived', messageId: 'u2' },
    ],
    ['our text without a blank line', [...old, user('u2', 'first\nthird')], { state: 'changed' }],
    ['our text without an id yet', [...old, user(null, text)], { state: 'showing' }],
    ['a person’s words', [...old, user('u2', 'mine')], { state: 'changed' }],
    ['the same text as an old turn', [user('u1', text), reply('a1')], { state: 'nothing' }],
    ['ours and then a person’s', [...old, user('u2', text), user('u3', 'mine')], { state: 'arrived', messageId: 'u2' }],
    ['an older part after scrolling', [user('u0'), reply('a0')], { state: 'nothing' }],
    ['an assistant who repeats it', [...old, reply('a2', text)], { state: 'nothing' }],
  ] as const)('%s', (_name, mounted, expected) => {
    expect(after(mounted)).toEqual(expected);
  });

  test.each([
    ['our text', user('u2', text), { state: 'arrived', messageId: 'u2' }],
    ['an older turn', user('u1', text), { state: 'nothing' }],
    ['another text', user('u2', 'mine'), { state: 'changed' }],
    ['no user turn', null, { state: 'nothing' }],
  ] as const)('at the server: %s', (_name, latestUser, expected) => {
    expect(arrivalAtServer(baseline, server({ latestUser }), text)).toEqual(expected);
  });

  test('two texts are one line by line', () => {
    expect(sameText('a\u00a0b \r\n\r\nc', 'a b\n\nc')).toBe(true);
    expect(sameText('a\n\nc', 'a\nc')).toBe(false);
  });
});

/** On some sites a person's message is known only by lacking what an answer has: so is whatever else the site puts there. */
describe('a message that is a person’s only by what it lacks', () => {
  const bare = (id: string | null, text = `words of ${id}`): Message => ({ role: 'user', id, text, byLack: true });
  const before = [bare('u1'), reply('a1')];
  const taken = (it: ReturnType<typeof page>) => it.effects.map(({ type }) => type);

  test('is a turn when its words are those that were sent, by a press or by a click that nobody names', () => {
    verifies('bridge.turns-proved');
    const pressed = page()
      .look(before)
      .press('person', 'Go  on.\n')
      .look([...before, bare('u2', 'Go  on.')]);
    expect(pressed.effects).toMatchObject([{ type: 'accepted', user: { id: 'u2' }, submitted: 'person' }]);
    const ours = page()
      .look(before)
      .press('extension', 'ours')
      .look([...before, bare('u2', 'ours')]);
    expect(ours.effects).toMatchObject([{ type: 'accepted', submitted: 'extension' }]);
    const clicked = page()
      .look(before)
      .draft('Go on.')
      .look([...before, bare('u2', 'Go on.')]);
    expect(clicked.effects).toMatchObject([{ type: 'accepted', submitted: 'person' }]);
  });

  test('is left out, and said so once, when nothing shows that anybody wrote it', () => {
    verifies('bridge.turns-proved');
    const notice = bare('x', 'The server is busy.');
    for (const it of [
      page()
        .look(before)
        .look([...before, notice]),
      page()
        .look(before)
        .press('person', 'Go on.')
        .look([...before, notice]),
      page()
        .look(before)
        .draft('Something else.')
        .look([...before, notice]),
      page()
        .look(before)
        .press('person')
        .look([...before, notice]),
    ]) {
      it.look([...before, notice]).look([...before, notice]);
      expect(taken(it)).toEqual(['unread']);
    }
    // Long ago explains nothing.
    const late = page().look(before).press('person', 'Go on.').draft('Go on.');
    late.look(before, { ms: SUBMIT_EXPLAINS_MS + 1 }).look([...before, bare('u2', 'Go on.')]);
    expect(taken(late)).toEqual(['unread']);
  });

  test('is found before something that the site put behind it, and that is not taken for an answer’s question', () => {
    verifies('bridge.turns-proved');
    const notice = bare('x', 'The server is busy.');
    const it = page().look(before).press('person', 'Go on.');
    it.look([...before, bare('u2', 'Go on.'), notice]);
    expect(it.effects).toMatchObject([{ type: 'accepted', user: { id: 'u2' } }]);
  });

  test('of which nobody saw how it was written is nobody’s when the page is read again', () => {
    verifies('bridge.turns-proved');
    const shown = [bare('u2', 'Go on.'), reply('a2')];
    expect(latestTurn(shown, null)).toEqual({ user: null, assistant: { id: 'a2', text: 'answer a2' } });
    expect(latestTurn(shown, 'u2')).toMatchObject({ user: { id: 'u2' }, assistant: { id: 'a2' } });
    expect(latestTurn([user('u2'), reply('a2')], null)).toMatchObject({ user: { id: 'u2' } });
    // An answer that was under way when the page came is followed to its end, and its question is not guessed.
    const it = page()
      .look(shown, { busy: true })
      .look([bare('u2', 'Go on.'), reply('a2', 'more')]);
    it.look([bare('u2', 'Go on.'), reply('a2', 'more')], { ms: STILL_MS }).look(
      [bare('u2', 'Go on.'), reply('a2', 'more')],
      {
        ms: STILL_MS,
      },
    );
    it.answer(null, false);
    expect(it.effects.at(-1)).toMatchObject({ type: 'ended', user: null, assistant: { id: 'a2', text: 'more' } });
  });
});
