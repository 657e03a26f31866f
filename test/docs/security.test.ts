/** Every refusal that the page on security promises names the test that holds it, and that test is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const [, table = ''] = read('docs/security.md').split('## What holds these sentences');
const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$/gm)].map(([, refused, title, file]) => ({
  refused: refused as string,
  title: title as string,
  file: file as string,
}));

it('lists the refusals', () => {
  expect(rows.length).toBeGreaterThanOrEqual(20);
});

it.each(rows)('$refused: its test is there', ({ title, file }) => {
  verifies('docs.true');
  // A quotation mark of the title stands behind a backslash in the source.
  expect(read(file).replaceAll("\\'", "'")).toMatch(new RegExp(`(it|\\))\\(\\s*['"\`]${literally(title)}['"\`]`));
});

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
