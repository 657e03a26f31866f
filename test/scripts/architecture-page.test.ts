/** The graphs on docs/architecture.md are the imports that the sources have. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { picturesOf } from '../../scripts/architecture-doc/pictures.ts';
import { fillPictures } from '../../scripts/pictures.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');

describe('docs/architecture.md', () => {
  it('shows the import graph as it is (npm run docs:architecture draws it anew)', () => {
    expect(fillPictures(page, picturesOf(ROOT))).toBe(page);
  });

  it('names no file or folder that is not there', () => {
    const named = [...page.matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
