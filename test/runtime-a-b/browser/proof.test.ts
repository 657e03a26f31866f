import { describe, expect, it } from 'vitest';
import { TURN_DOUBT_MS, TURN_FRESH_MS } from '../../../runtime-a-b/browser/limits.ts';
import { provedSession, type SourceTurn } from '../../../runtime-a-b/browser/proof.ts';
import { verifies } from '../../verifies.ts';

/** A call from 1000 to 2000, asked about at 2000. */
const CALL = { from: 1_000, to: 2_000 };

const turn = (sessionRef: string, startedAt: number, more: Partial<SourceTurn> = {}): SourceTurn => ({
  sessionRef,
  conversation: `https://chatgpt.com/c/${sessionRef}`,
  startedAt,
  observedAt: 1_900,
  endedAt: null,
  ...more,
});

describe('which conversation a call came from', () => {
  it.each<[string, SourceTurn[], string | null]>([
    ['nobody reported anything', [], null],
    ['the only one in progress', [turn('a', 500)], 'a'],
    ['one that began while the call ran', [turn('a', 1_500)], null],
    ['one that ended while the call ran', [turn('a', 500, { endedAt: 1_500 })], null],
    ['one that ended after the call', [turn('a', 500, { endedAt: 2_000 })], 'a'],
    ['one that had ended before', [turn('a', 500, { endedAt: 900 })], null],
    ['two in progress', [turn('a', 500), turn('b', 600)], null],
    ['another that ended before', [turn('a', 500), turn('b', 100, { endedAt: 900 })], 'a'],
    ['another that ended while the call ran', [turn('a', 500), turn('b', 100, { endedAt: 1_001 })], null],
    ['another that began while the call ran', [turn('a', 500), turn('b', 1_999)], null],
    ['another that began later', [turn('a', 500), turn('b', 2_001)], 'a'],
    ['one that fell silent', [turn('a', 500, { observedAt: 1_999 - TURN_FRESH_MS })], null],
    ['another that fell silent', [turn('a', 500), turn('b', 100, { observedAt: 2_000 - TURN_DOUBT_MS })], null],
    ['another that has long been silent', [turn('a', 500), turn('b', 100, { observedAt: 1_999 - TURN_DOUBT_MS })], 'a'],
    [
      'the same conversation in two browsers: the newer report',
      [turn('a', 500), turn('b', 500, { conversation: 'https://chatgpt.com/c/a', observedAt: 1_950 })],
      'b',
    ],
    [
      'the same conversation in two browsers, reported at the same moment',
      [turn('a', 500), turn('b', 500, { conversation: 'https://chatgpt.com/c/a' })],
      null,
    ],
  ])('%s', (_, turns, expected) => {
    verifies('tasks.inbox');
    expect(provedSession(turns, CALL, 2_000)).toBe(expected);
  });
});
