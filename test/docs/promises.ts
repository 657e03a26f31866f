/**
 * docs/requirements.md as data: every behaviour with the promise that it belongs to, the place that does it and the test
 * that shows it. The page is written by hand; what it says is held by `requirements.test.ts` and, in a whole run, by the
 * reporter, which knows what has passed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Behaviour {
  /** `Chapter › Section` of the page. */
  place: string;
  says: string;
  id: string;
  /** A file or folder of the product, from the root of the repository. */
  built: string;
  /** The test's file, from the root of the repository. */
  test: string;
  /** A part of the test's full name, `describe > test`. */
  title: string;
}

/** The rows of the page; a row that is none says which. */
export function behavioursOf(page: string): Behaviour[] {
  let [chapter, section] = ['', ''];
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) [chapter, section] = [line.slice(3), ''];
    if (line.startsWith('### ')) section = line.slice(4);
    if (!line.startsWith('| ') || line.startsWith('| behaviour ')) return [];
    const row = /^\| (.+?) \| `([\w.-]+)` \| \[[^\]]+\]\(\.\.\/([^)]+)\) \| \[[^\]]+\]\(\.\.\/([^)]+)\): (.+) \|$/.exec(
      line,
    );
    const [, says = '', id = '', built = '', test = '', title = ''] = row ?? [];
    if (row === null || section === '') throw new Error(`no row of a section: ${line}`);
    return [{ place: `${chapter} › ${section}`, says, id, built, test, title }];
  });
}

/** The headings of a page's sections, as `place` of their rows names them. */
export function sectionsOf(page: string): string[] {
  let chapter = '';
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) chapter = line.slice(3);
    return line.startsWith('### ') ? [`${chapter} › ${line.slice(4)}`] : [];
  });
}

export const requirementsPage = (): string => readFileSync(join(ROOT, 'docs', 'requirements.md'), 'utf8');
