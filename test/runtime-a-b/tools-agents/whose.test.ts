import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWN_PROMPT_MS, OWN_PROMPTS_KEPT, OWN_TERMINALS_KEPT } from '../../../runtime-a-b/limits.ts';
import { readComposer } from '../../../runtime-a-b/tools/agents/composer.ts';
import { likeness, OwnPrompts } from '../../../runtime-a-b/tools/agents/own-prompts.ts';
import { whoseText } from '../../../runtime-a-b/tools/agents/whose.ts';
import { verifies } from '../../verifies.ts';

const RULE = '─'.repeat(40);
const taken = (text: string) => ({ text, atMs: 0, taken: true });
const untaken = (text: string) => ({ text, atMs: 0, taken: false });
const rows = (...lines: string[]) => lines.join('\n');

describe('whose text a screen shows', () => {
  it.each([
    [
      'the echo of the prompt above its work',
      rows('❯ line1', 'line2', 'line3', 'Working...'),
      taken('line1\nline2\nline3'),
      'echo',
    ],
    [
      'the echo of its first line, cut by a blank row',
      rows('❯ line1', '', 'Working...'),
      taken('line1\nline2'),
      'echo',
    ],
    ['the echo of a prompt with blank lines', rows('❯ line1', '', 'line3'), taken('line1\n\nline3'), 'echo'],
    [
      'the echo of a line that is wrapped',
      rows('❯ count the files in', '  the folder', 'Working...'),
      taken('count the files in the folder'),
      'echo',
    ],
    [
      'text typed behind the echo, without a marker',
      rows('❯ line1', 'line2', 'half a li'),
      taken('line1\nline2'),
      'echo',
    ],
    ['output on the last row of the echo', rows('❯ line1', 'line2• Working'), taken('line1\nline2'), 'echo'],
    ['more on the only row', rows('❯ line1• Working'), taken('line1'), 'somebody'],
    ['another text of the same screen', rows('❯ line1', 'line2'), taken('line9\nline2'), 'somebody'],
    ['a text that only begins like the prompt', rows('❯ line1 and more'), taken('line1'), 'somebody'],
    ['a part of a line of the prompt', rows('❯ lin'), taken('line1\nline2'), 'somebody'],
    [
      'a person’s line in the frame below the echo',
      rows('❯ line1', '', RULE, '❯ half a li', RULE),
      taken('line1'),
      'somebody',
    ],
    ['an empty frame below the echo', rows('❯ line1', '', RULE, '❯ ', RULE), taken('line1'), 'nobody'],
    ['a prompt that stands in the frame', rows(RULE, '❯ line1', '  line2', RULE), untaken('line1\nline2'), 'own'],
    ['a taken prompt that stands in the frame again', rows(RULE, '❯ line1', RULE), taken('line1'), 'own'],
    [
      'a person’s words behind a prompt in the frame',
      rows(RULE, '❯ line1', '  and mine', RULE),
      taken('line1'),
      'somebody',
    ],
    ['a prompt that was not taken, behind a bare marker', rows('› line1', '', '  send'), untaken('line1'), 'own'],
    [
      'only an echo far above',
      rows('❯ line1', ...Array.from({ length: 20 }, (_, i) => `output ${i}`)),
      taken('line1'),
      'nobody',
    ],
  ] as const)('%s', (_, screen, prompt, expected) => {
    verifies('runtime.prompt');
    expect(whoseText(readComposer(screen), [prompt])).toBe(expected);
  });

  it('is somebody’s when nothing was sent', () => {
    expect(whoseText(readComposer('❯ line1'), [])).toBe('somebody');
  });

  it('finds a prompt again however it is wrapped', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }), (lines) => {
        const wrapped = lines.flatMap((words) => words.map((each) => `  ${each}`)).join('\n');
        expect(likeness(wrapped, lines.map((words) => words.join(' ')).join('\n'))).toBe('all');
      }),
    );
  });
});

describe('what was sent to a terminal', () => {
  it('is known by terminal, newest first, for an hour, and within bounds', () => {
    const own = new OwnPrompts();
    for (let i = 0; i <= OWN_PROMPTS_KEPT; i++) own.note('t1', `p${i}`, i);
    expect(own.of('t1', 100).map(({ text }) => text)).toEqual(
      Array.from({ length: OWN_PROMPTS_KEPT }, (_, i) => `p${OWN_PROMPTS_KEPT - i}`),
    );
    expect(own.of('t2', 100)).toEqual([]);
    expect(own.of('t1', OWN_PROMPT_MS + OWN_PROMPTS_KEPT)).toMatchObject([{ text: `p${OWN_PROMPTS_KEPT}` }]);
    expect(own.of('t1', 2 * OWN_PROMPT_MS)).toEqual([]);
    for (let i = 0; i < OWN_TERMINALS_KEPT; i++) own.note(`u${i}`, 'x', 0);
    expect(own.of('t1', 100)).toEqual([]);
  });
});
