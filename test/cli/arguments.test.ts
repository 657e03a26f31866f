import type { ArgsDef } from 'citty';
import { describe, expect, it } from 'vitest';
import { refuseUnknown } from '../../cli/command.ts';
import { UsageError } from '../../cli/exit.ts';

const known: ArgsDef = {
  request: { type: 'string' },
  'read-only': { type: 'boolean' },
  device: { type: 'positional' },
};

describe('arguments', () => {
  it.each([
    [{ _: [] }],
    [{ _: ['dev_1'], device: 'dev_1' }],
    [{ _: [], 'read-only': true, readOnly: true }],
    [{ _: [], request: 'req_1' }],
  ])('%o are fine', (given) => {
    expect(() => refuseUnknown(known, given)).not.toThrow();
  });

  it.each([
    [{ _: [], 'read-onyl': true }, /no option --read-onyl/],
    [{ _: ['a', 'b'] }, /"b" is one word too many/],
    [{ _: [], request: '' }, /--request needs a value/],
  ])('%o are refused', (given, sentence) => {
    expect(() => refuseUnknown(known, given)).toThrow(UsageError);
    expect(() => refuseUnknown(known, given)).toThrow(sentence);
  });
});
