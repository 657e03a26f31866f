import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { age, counted, note, oneLine, say, table } from '../../cli/terminal/index.ts';
import { harmless, jsonLine } from '../../cli/terminal/text.ts';
import { verifies } from '../verifies.ts';

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

describe('a line that is said', () => {
  it.each([
    ['  a name,\twith a tab', '  a name,\twith a tab'],
    ['ok\nlink      connected', 'ok link      connected'],
    ['\u001b]0;title\u0007\u009b2J\u001b[31mred', ' ]0;title  2J [31mred'],
    ['ok\u202egnp.exe\u2028 👩\u200d💻', 'ok gnp.exe  👩\u200d💻'],
  ])('%j is shown as %j: nothing that others wrote acts on the terminal', (line, shown) => {
    verifies('cli.harmless');
    expect(harmless(line)).toBe(shown);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const beside = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    say(line);
    note(line);
    const said = [write, beside].map(({ mock }) => mock.calls);
    vi.restoreAllMocks();
    expect(said).toEqual([[[`${shown}\n`]], [[`${shown}\n`]]]);
  });

  it('passes the one border: no command writes to the terminal on its own', () => {
    verifies('cli.harmless');
    const files = readdirSync('cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const own = files.filter((file) => /console\.|std(out|err)\.write\(/.test(readFileSync(join('cli', file), 'utf8')));
    // The protocol of `herdr-mcp mcp` is for a program.
    expect(own.filter((file) => !file.startsWith('terminal/'))).toEqual(['mcp/index.ts']);
  });
});

describe('a count', () => {
  it.each([
    [0, '0 panes'],
    [1, '1 pane'],
    [2, '2 panes'],
  ])('of %d', (n, shown) => {
    expect(counted(n, 'pane')).toBe(shown);
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
