import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isNodeSupported, requireNode, VERSION } from '../../local/version/index.ts';

describe('the version', () => {
  it('is the package’s', () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
  });

  it.each([
    ['20.20.2', false],
    ['22.11.9', false],
    ['22.12.0', true],
    ['24.0.0', true],
    ['100.1.0', true],
  ])('Node %s is new enough: %s', (version, expected) => {
    expect(isNodeSupported(version)).toBe(expected);
  });

  it('of a Node that is too old is named, with the way out', () => {
    expect(() => requireNode('20.1.0')).toThrow(/needs Node 22\.12 or later; this is 20\.1\.0/);
  });
});
