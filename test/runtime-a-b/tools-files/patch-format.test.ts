import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyHunks,
  type Hunk,
  PatchFault,
  parsePatch,
  type Section,
} from '../../../runtime-a-b/tools/files/patch/index.ts';
import { splitLines } from '../../../runtime-a-b/tools/files/text/index.ts';
import { verifies } from '../../verifies.ts';

const wrap = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

/** The text after the hunks of a one-file patch, or the fault's kind. */
function apply(before: string, ...lines: string[]): string {
  const [section] = parsePatch(wrap('*** Update File: f', ...lines));
  const hunks = (section as Extract<Section, { kind: 'update' }>).hunks;
  const result = applyHunks(splitLines(before), hunks, before.includes('\r\n') ? '\r\n' : '\n');
  return 'fault' in result
    ? `FAULT ${result.fault.kind}`
    : result.lines.map((line) => line.text + line.ending).join('');
}

describe('reading a patch', () => {
  it('gives its sections, whatever stands around it', () => {
    const sections = parsePatch(
      [
        '```',
        '*** Begin Patch',
        '*** Add File: a b.txt',
        '+one',
        '+',
        '',
        '*** Delete File: gone',
        '*** Update File: u',
        '*** Move to: v',
        '@@ class A',
        '@@ def f',
        ' ctx',
        '-old',
        '+new',
        '',
        '*** End of File',
        '*** End Patch',
        '```',
      ].join('\r\n'),
    );
    expect(sections).toMatchObject([
      { kind: 'add', path: 'a b.txt', lines: ['one', ''], unterminated: false },
      { kind: 'delete', path: 'gone' },
      {
        kind: 'update',
        path: 'u',
        moveTo: 'v',
        hunks: [
          {
            anchors: ['class A', 'def f'],
            atEnd: true,
            lines: [
              { op: ' ', text: 'ctx' },
              { op: '-', text: 'old' },
              { op: '+', text: 'new' },
              { op: ' ', text: '' },
            ],
          },
        ],
      },
    ]);
  });

  it.each([
    ['', 1, 'Begin Patch'],
    ['*** Begin Patch\n*** Add File: x\n+y', 3, 'End Patch'],
    [wrap(), 1, 'no section'],
    [wrap('nonsense'), 2, 'expected'],
    [wrap('*** Add File: x', 'y'), 3, 'begins with "+"'],
    [wrap('*** Update File: x'), 2, 'no hunk'],
    [wrap('*** Update File: x', '@@', ' only context'), 3, 'neither adds nor removes'],
    [wrap('*** Update File: x', '@@', '-a', '?b'), 5, 'begins with a space'],
  ])('names the line of a fault: %#', (text, line, message) => {
    let fault: unknown;
    try {
      parsePatch(text);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(PatchFault);
    expect(fault).toMatchObject({ line, message: expect.stringContaining(message) });
  });

  it('answers any text with sections or a fault', () => {
    const line = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: b',
      '*** Delete File: c',
      '*** Move to: d',
      '@@',
      '@@ x',
      ' a',
      '-a',
      '+a',
      '',
      '*** End of File',
      '\\ No newline at end of file',
      '??',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        try {
          expect(parsePatch(lines.join('\n')).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchFault);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('applying hunks', () => {
  it.each([
    ['a change', 'a\nb\nc\n', ['@@', ' a', '-b', '+B', ' c'], 'a\nB\nc\n'],
    ['two hunks out of order', 'a\nb\nc\nd\n', ['@@', '-c', '+C', '@@', '-a', '+A'], 'A\nb\nC\nd\n'],
    ['an addition behind an anchor', 'x\nf\ny\nf2\n', ['@@ f2', '+added'], 'x\nf\ny\nf2\nadded\n'],
    ['an addition at the end', 'a\n', ['@@', '+b'], 'a\nb\n'],
    ['an addition after an unterminated last line', 'a', ['@@', ' a', '+b'], 'a\nb'],
    ['an addition to an empty file', '', ['@@', '+a'], 'a\n'],
    ['the last line of an unterminated file', 'a\nb', ['@@', '-b', '+c'], 'a\nc'],
    ['a patch that ends the last line', 'a\nb', ['@@', '-b', '\\ No newline at end of file', '+b'], 'a\nb\n'],
    ['a patch that takes the last newline', 'a\nb\n', ['@@', '-b', '+b', '\\ No newline at end of file'], 'a\nb'],
    ['the removal of an unterminated last line', 'a\nb', ['@@', '-b'], 'a'],
    ['the removal of all', 'a\n', ['@@', '-a'], ''],
    ['the first line of an unterminated file', 'a\nb', ['@@', '-a', '+A'], 'A\nb'],
    ['CRLF', 'a\r\nb\r\nc\r\n', ['@@', ' a', '-b', '+B', '+B2'], 'a\r\nB\r\nB2\r\nc\r\n'],
    ['mixed endings', 'a\r\nb\nc\r\n', ['@@', ' b', '+x', ' c'], 'a\r\nb\nx\nc\r\n'],
    ['an empty context line', 'a\n\nb\n', ['@@', ' a', '', '-b', '+B'], 'a\n\nB\n'],
    [
      'anchors one inside the other',
      'class A\n  f\n    x\nclass B\n  f\n    x\n',
      ['@@ class B', '@@ f', '-    x', '+    y'],
      'class A\n  f\n    x\nclass B\n  f\n    y\n',
    ],
    ['a place at the end', 'x\ny\nx\n', ['@@', '-x', '+X', '*** End of File'], 'x\ny\nX\n'],
    ['a unified header', 'a\nb\n', ['@@ -1,2 +1,2 @@', '-a', '+A'], 'A\nb\n'],
    ['text like a file header in it', 'a\n', ['@@', '-a', '+--- b'], '--- b\n'],
  ])('does %s', (_, before, lines, after) => {
    verifies('files.patch');
    expect(apply(before, ...lines)).toBe(after);
  });

  it.each([
    ['several places', 'x\ny\nx\n', ['@@', '-x', '+X'], 'ambiguous'],
    ['no place', 'x\n', ['@@', '-y', '+X'], 'not_found'],
    ['space that differs', ' x\n', ['@@', '-x', '+X'], 'not_found'],
    ['an anchor that is not there', 'x\n', ['@@ nowhere', '-x', '+X'], 'anchor_not_found'],
    ['an anchor that is there twice', 'f\nx\nf\n', ['@@ f', '-x', '+X'], 'anchor_not_found'],
    ['two hunks on one line', 'a\nb\n', ['@@', '-a', '+A', '@@', ' a', '-b'], 'overlap'],
    ['a place that is not at the end', 'x\ny\n', ['@@', '-x', '+X', '*** End of File'], 'not_found'],
  ])('refuses %s', (_, before, lines, kind) => {
    verifies('files.patch');
    expect(apply(before, ...lines)).toBe(`FAULT ${kind}`);
  });

  it('turns any text into any other, line by line, and keeps the endings of what stays', () => {
    verifies('files.patch');
    const line = fc.constantFrom('a', 'b', 'c', '', '日本', ' x', '+', '-', '@@');
    const edit = fc.record({ keep: fc.boolean(), add: fc.array(line, { maxLength: 2 }) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'), edit), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        (rows, terminated) => {
          const before = rows
            .map(([text, ending], index) => text + (index === rows.length - 1 && !terminated ? '' : ending))
            .join('');
          fc.pre(before !== '');
          const lines = splitLines(before);
          const hunkLines: Hunk['lines'] = lines.flatMap((each, index) => {
            const { keep, add } = (rows[index] as (typeof rows)[number])[2];
            return [
              { op: keep ? (' ' as const) : ('-' as const), text: each.text },
              ...add.map((text) => ({ op: '+' as const, text })),
            ];
          });
          const hunk: Hunk = {
            at: 1,
            anchors: [],
            lines: hunkLines,
            atEnd: false,
            oldUnterminated: false,
            newUnterminated: false,
          };
          const result = applyHunks(lines, [hunk], '\n');
          if ('fault' in result) throw new Error(result.fault.kind);
          const after = result.lines.map((each) => each.text + each.ending).join('');
          const wanted = hunkLines.filter(({ op }) => op !== '-').map(({ text }) => text);
          expect(result.lines.map((each) => each.text)).toEqual(wanted);
          expect(splitLines(after).map((each) => each.text)).toEqual(
            wanted.at(-1) === '' && !before.endsWith('\n') ? wanted.slice(0, -1) : wanted,
          );
          if (wanted.length > 0 && wanted.at(-1) !== '') expect(after.endsWith('\n')).toBe(before.endsWith('\n'));
        },
      ),
      { numRuns: 500 },
    );
  });
});
