import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuggestion, readComposer } from '../../../runtime-a-b/tools/agents/composer.ts';
import { sanitisePrompt } from '../../../runtime-a-b/tools/agents/sanitise.ts';
import { startOf } from '../../../runtime-a-b/tools/agents/turn.ts';
import { verifies } from '../../verifies.ts';

const RULE = '─'.repeat(40);
const framed = (...rows: string[]) => ['● Done.', '', RULE, ...rows, RULE, '  ? for shortcuts'].join('\n');

describe('whose text stands in the input box', () => {
  it('sees the half-typed line of the report', () => {
    verifies('runtime.prompt');
    expect(readComposer('──────────\n❯ could you also rename the\n──────────\n  ? for shortcuts')).toEqual({
      state: 'draft',
      text: 'could you also rename the',
      row: '❯ could you also rename the',
      framed: true,
    });
  });

  it.each([
    ['an empty frame', framed('❯ ')],
    ['an empty frame with a no-break space', framed('❯\u00a0')],
    ['an empty frame with a cursor block', framed('❯ █')],
    [
      'an empty box with sides',
      ['╭────────────────╮', '│ >              │', '╰────────────────╯', '  ? for shortcuts'].join('\n'),
    ],
    ['a bare marker above a footer', ['codex', '', '› ', '', '  send   ctrl+c quit'].join('\n')],
    ['a frame below the echo of a prompt', ['❯ line1', '  line2', '', framed('❯ ')].join('\n')],
    ['a bare box below an old frame', [framed('❯ old text'), '❯ '].join('\n')],
    ['a frame below quoted text', ['> quoted by the agent', framed('❯ ')].join('\n')],
  ])('is nobody’s in %s', (_, screen) => {
    expect(readComposer(screen)).toEqual({ state: 'empty' });
  });

  it.each([
    ['in a frame', framed('❯ fix the'), 'fix the'],
    ['over several rows', framed('❯ first line', '  second line'), 'first line\nsecond line'],
    ['in a box with sides', ['╭──────────────╮', '│ > run tests  │', '╰──────────────╯'].join('\n'), 'run tests'],
    ['behind a bare marker', ['codex', '', '› do the thing', '', '  send'].join('\n'), 'do the thing'],
    ['with a cursor behind it', framed('❯ fix the█'), 'fix the'],
    ['after an empty first row', framed('❯ ', '  pasted below'), 'pasted below'],
  ])('is a draft %s', (_, screen, text) => {
    expect(readComposer(screen)).toMatchObject({ state: 'draft', text });
  });

  it.each([
    ['nothing', ''],
    ['a shell', 'kim@host:~$ '],
    ['plain output', 'Working...\nline 2'],
    ['quoted text without a box', '> this is quoted\nand then some\n'],
    ['a frame without a marker', [RULE, 'table', RULE].join('\n')],
    [
      'an old frame far above',
      [RULE, '❯ old prompt', RULE, ...Array.from({ length: 20 }, (_, i) => `output ${i}`)].join('\n'),
    ],
    ['an old marker far above', ['› old prompt', ...Array.from({ length: 20 }, (_, i) => `output ${i}`)].join('\n')],
  ])('is not known on a screen with %s, and never called empty', (_, screen) => {
    expect(readComposer(screen)).toEqual({ state: 'unknown' });
  });

  it('is judged without an exception on any screen', () => {
    const glyph = fc.constantFrom('─', '❯', '›', '>', '│', '╭', '╰', ' ', '\n', 'a', '█', '\u00a0', '\u001b[2m');
    fc.assert(
      fc.property(fc.array(glyph, { maxLength: 300 }), (glyphs) => {
        expect(['empty', 'draft', 'unknown']).toContain(readComposer(glyphs.join('')).state);
      }),
    );
  });
});

describe('a dim suggestion is no draft', () => {
  it.each<[string, string, boolean | undefined]>([
    ['dim', '❯ \u001b[2mTry "fix the tests"\u001b[22m', true],
    ['bright black', '❯ \u001b[90mTry "fix the tests"\u001b[0m', true],
    ['grey of 256 colours', '❯ \u001b[38;5;244mTry "fix the tests"\u001b[39m', true],
    ['grey of true colour', '❯ \u001b[38;2;120;120;124mTry "fix the tests"\u001b[0m', true],
    ['dim behind an inverted cursor', '❯ \u001b[7mT\u001b[0m\u001b[2mry "fix the tests"\u001b[0m', true],
    ['plain', '❯ Try "fix the tests"', false],
    ['bold', '❯ \u001b[1mTry "fix the tests"\u001b[0m', false],
    ['coloured', '❯ \u001b[38;2;200;80;80mTry "fix the tests"\u001b[0m', false],
    ['white', '❯ \u001b[38;5;255mTry "fix the tests"\u001b[0m', false],
    ['dim only at its end', '❯ Try "fix the \u001b[2mtests"\u001b[0m', false],
    ['not on the screen', 'something else', undefined],
  ])('%s', (_, ansi, expected) => {
    verifies('runtime.prompt');
    expect(isSuggestion('Try "fix the tests"', ansi)).toBe(expected);
  });
});

describe('a prompt as it may be typed', () => {
  it.each([
    ['plain\ttext\nwith lines', 'plain\ttext\nwith lines', 0],
    ['a\r\nb\rc', 'a\nb\nc', 0],
    ['end\u001b[201~ and go on', 'end[201~ and go on', 1],
    ['\u0000\u0003\u007f\u009b31mx', '31mx', 4],
    ['— § × ✳ 漢字 😀', '— § × ✳ 漢字 😀', 0],
  ])('%j becomes %j', (given, text, removed) => {
    verifies('runtime.prompt');
    expect(sanitisePrompt(given)).toEqual({ text, removed });
  });

  it('never holds a control character that could end a paste or press a key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(sanitisePrompt(text).text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe('whether a turn began', () => {
  const at = (agent_status: 'idle' | 'working' | 'blocked' | 'done' | 'unknown', state_change_seq: number | null) => ({
    agent_status,
    state_change_seq,
  });

  it.each([
    [at('idle', 18), at('working', 19), 'seen'],
    [at('idle', 18), at('blocked', 19), 'seen'],
    [at('idle', 40), at('idle', 42), 'seen'],
    [at('done', 40), at('done', 42), 'seen'],
    [at('idle', null), at('working', null), 'seen'],
    [at('idle', 18), at('idle', 18), 'not_seen'],
    [at('done', 18), at('idle', 18), 'not_seen'],
    [at('idle', null), at('idle', null), 'not_seen'],
    [at('unknown', 0), at('unknown', 0), 'not_seen'],
    [at('working', 18), at('working', 18), 'unverifiable'],
    [at('working', 18), at('idle', 19), 'unverifiable'],
    [at('blocked', 18), at('working', 19), 'unverifiable'],
  ] as const)('%j to %j: %s', (before, after, expected) => {
    verifies('runtime.prompt');
    expect(startOf(before, after)).toBe(expected);
  });
});
