import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFresh, markFresh, sourceDigest } from '../../scripts/build/stamp.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hm-stamp-'));
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  writeFileSync(join(root, 'a', 'b', 'x.ts'), 'one');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const digest = () => sourceDigest(root, ['a', 'missing']);

describe('a build', () => {
  it('is fresh until a source changes, appears or goes', () => {
    const first = digest();
    expect(digest()).toBe(first);
    writeFileSync(join(root, 'a', 'y.ts'), '');
    const second = digest();
    expect(second).not.toBe(first);
    utimesSync(join(root, 'a', 'b', 'x.ts'), 1, 1);
    const third = digest();
    expect(third).not.toBe(second);
    rmSync(join(root, 'a', 'b'), { recursive: true });
    expect(digest()).not.toBe(third);
  });

  it('stays fresh when it writes something of its own beside the sources', () => {
    const first = digest();
    mkdirSync(join(root, 'a', '.made'));
    writeFileSync(join(root, 'a', '.made', 'types.d.ts'), 'by the build');
    expect(digest()).toBe(first);
  });

  it('is fresh only for the digest that it was marked with', () => {
    const stamp = join(root, 'dist', '.stamp');
    expect(isFresh(stamp, 'x')).toBe(false);
    markFresh(stamp, 'x');
    expect(isFresh(stamp, 'x')).toBe(true);
    expect(isFresh(stamp, 'y')).toBe(false);
  });
});
