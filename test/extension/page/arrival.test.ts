/** Tables of the page’s decisions: whether a message arrived, and whose it is. */
import { describe, expect, test } from 'vitest';
import {
  arrivalAtServer,
  arrivalOf,
  baselineOf,
  latestTurn,
  STILL_MS,
  SUBMIT_EXPLAINS_MS,
  sameText,
} from '../../../extension/machines/page/index.ts';
import type { Message } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';
import { old, page, reply, server, user } from './looked-at.ts';

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
