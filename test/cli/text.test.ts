import { describe, expect, it } from 'vitest';
import { age, oneLine, table } from '../../cli/terminal/index.ts';
import { jsonLine } from '../../cli/terminal/text.ts';

describe('text from elsewhere', () => {
  it.each([
    ['a name', 'a name'],
    ['two\nlines', 'two lines'],
    ['\u001b[2Jcleared', '[2Jcleared'],
    ['ok\u202egnp.exe', 'ok gnp.exe'],
    ['zero\u200bwidth', 'zero width'],
    ['  padded \t', 'padded'],
  ])('%j is shown as %j', (text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });
});

describe('a line of JSON', () => {
  it('holds nothing that a terminal acts on, and the same value', () => {
    const value = { line: 'a\u009b2J\u001b[2J\u007f\u202eb\u2066\u061c', name: 'ビルダー é 🙂' };
    const text = jsonLine(value);
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/);
    expect(text).toContain('ビルダー é 🙂');
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('an age', () => {
  it.each([
    [-5, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [3_600_000, '1 h'],
    [86_400_000 * 3, '3 d'],
  ])('of %d ms is %s', (ms, shown) => {
    expect(age(ms)).toBe(shown);
  });
});

describe('a table', () => {
  it('pads each column to its widest cell and cleans every cell', () => {
    expect(
      table([
        ['ID', 'NAME', 'X'],
        ['1', 'long name', 'a'],
        ['22', 'ü\u0007', ''],
      ]),
    ).toEqual(['ID  NAME       X', '1   long name  a', '22  ü']);
  });
});
