import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ECHO_CHARS, echo, echoList } from '../../runtime-a-b/echo.ts';
import { verifies } from '../verifies.ts';

describe('what a caller said, repeated', () => {
  it.each([
    ['', ''],
    ['pwd', 'pwd'],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), `${'x'.repeat(200)}… (201 characters in all)`],
    [`${'x'.repeat(199)}😀y`, `${'x'.repeat(199)}… (202 characters in all)`],
  ])('%#', (given, expected) => {
    verifies('exec.truth');
    expect(echo(given)).toBe(expected);
  });

  it('is short whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
        expect(echo(text).length).toBeLessThanOrEqual(ECHO_CHARS + 40);
      }),
    );
  });

  it('lists the first of many and says how many there are', () => {
    expect(echoList([1, 2, 3])).toEqual(['1', '2', '3']);
    expect(echoList([1, 2, 3], 2)).toEqual(['1', '2', '… (3 in all)']);
  });
});
