import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyModes, keyBytes } from '../../../contract/herdr/index.ts';

const plain: KeyModes = { applicationCursor: false, reportAllKeys: false };
const bytes = (combo: string, modes: KeyModes = plain): string | undefined => {
  const key = keyBytes(combo, modes);
  return key.ok ? key.bytes : undefined;
};

describe('key combos', () => {
  const table: [string, string][] = [
    ['a', 'a'],
    ['A', 'A'],
    ['shift+a', 'A'],
    ['ä', 'ä'],
    ['日', '日'],
    ['enter', '\r'],
    ['Return', '\r'],
    ['esc', '\x1b'],
    ['tab', '\t'],
    ['shift+tab', '\x1b[Z'],
    ['bs', '\x7f'],
    ['alt+backspace', '\x1b\x7f'],
    ['alt+enter', '\x1b\r'],
    ['shift+enter', '\x1b[13;2u'],
    ['ctrl+enter', '\x1b[13;5u'],
    ['ctrl+a', '\x01'],
    ['CTRL+Z', '\x1a'],
    ['control+[', '\x1b'],
    ['ctrl+space', '\0'],
    ['C-c', '\x03'],
    ['c-c', '\x03'],
    ['alt+x', '\x1bx'],
    ['meta+X', '\x1bX'],
    ['ctrl+alt+c', '\x1b\x03'],
    ['cmd+k', '\x1b[107;9u'],
    ['up', '\x1b[A'],
    ['ctrl+left', '\x1b[1;5D'],
    ['shift+alt+down', '\x1b[1;4B'],
    ['f1', '\x1bOP'],
    ['F5', '\x1b[15~'],
    ['f11', '\x1b[23~'],
    ['shift+f3', '\x1b[1;2R'],
    ['ctrl+f12', '\x1b[24;5~'],
    ['+', '+'],
    ['plus', '+'],
    ['ctrl+plus', ''],
    ['double_quote', '"'],
    ['percent', '%'],
    ['ampersand', '&'],
  ];
  it.each(table.filter(([, expected]) => expected !== ''))('%s', (combo, expected) => {
    expect(bytes(combo)).toBe(expected);
  });

  it('follow the modes that the program asked for', () => {
    expect(bytes('up', { ...plain, applicationCursor: true })).toBe('\x1bOA');
    expect(bytes('ctrl+up', { ...plain, applicationCursor: true })).toBe('\x1b[1;5A');
    const all = { ...plain, reportAllKeys: true };
    expect(bytes('enter', all)).toBe('\x1b[13u');
    expect(bytes('a', all)).toBe('\x1b[97u');
    expect(bytes('ctrl+c', all)).toBe('\x1b[99;5u');
    expect(bytes('shift+tab', all)).toBe('\x1b[9;2u');
  });

  it.each([
    'home',
    'end',
    'pageup',
    'pagedown',
    'insert',
    'delete',
    'prefix+c',
    'ctrl+',
    '',
    'hyper',
    'f0',
    'f99',
    'xx+a',
    'ctrl+plus',
    '__proto__',
    'constructor',
    'constructor+a',
    '__proto__+a',
  ])('refuses %j and says why', (combo) => {
    const key = keyBytes(combo, plain);
    expect(key.ok).toBe(false);
    if (!key.ok) expect(key.reason).toContain(JSON.stringify(combo));
  });

  it('are never an exception', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.boolean(),
        (combo, applicationCursor, reportAllKeys) => {
          const key = keyBytes(combo, { applicationCursor, reportAllKeys });
          expect(key.ok ? key.bytes.length > 0 : key.reason.length > 0).toBe(true);
        },
      ),
    );
  });
});
