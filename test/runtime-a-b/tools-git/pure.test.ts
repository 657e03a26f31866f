import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecretSections } from '../../../runtime-a-b/tools/git/hide.ts';
import { printable, unquote, utf8 } from '../../../runtime-a-b/tools/git/names.ts';
import { readRevision } from '../../../runtime-a-b/tools/git/revision.ts';
import { slice } from '../../../runtime-a-b/tools/git/slice.ts';
import { countStatus, parseStatus, renderStatus } from '../../../runtime-a-b/tools/git/status.ts';
import { verifies } from '../../verifies.ts';

describe('a revision', () => {
  it.each([
    ['HEAD~2', 'log', { text: 'HEAD~2' }],
    ['a..b', 'diff', { text: 'a..b' }],
    [':/fix: it', 'show', { text: ':/fix: it' }],
    ['HEAD^{/a:b}', 'show', { text: 'HEAD^{/a:b}' }],
    ['HEAD:src/a.ts', 'show', { text: 'HEAD:src/a.ts', path: 'src/a.ts' }],
    [':0:a', 'show', { text: ':0:a', path: 'a' }],
    [':a', 'show', { text: ':a', path: 'a' }],
  ])('%s for %s is read', (rev, action, expected) => {
    expect(readRevision(rev, action)).toEqual(expected);
  });

  it.each([
    ['--output=/tmp/x', 'log'],
    ['-n1', 'log'],
    ['', 'log'],
    ['a\nb', 'log'],
    ['HEAD:.env', 'diff'],
    ['HEAD:x', 'blame'],
  ])('%j for %s is refused', (rev, action) => {
    expect(readRevision(rev, action)).toHaveProperty('bad');
  });
});

describe('status', () => {
  it('reads every kind of record and prints it short', () => {
    const output = [
      '# branch.oid 1234567890abcdef',
      '# branch.head main',
      '# branch.upstream origin/main',
      '# branch.ab +1 -2',
      '# stash 3',
      '1 .M N... 100644 100644 100644 aaa bbb a b.txt',
      '2 R. N... 100644 100644 100644 aaa bbb R100 new\nname',
      'old name',
      'u UU N... 100644 100644 100644 100644 a b c both',
      '1 .M SCMU 160000 160000 160000 a b sub',
      '? fresh',
      '',
    ].join('\0');
    const facts = parseStatus(output);
    expect(facts.branch).toEqual({
      name: 'main',
      commit: '1234567890abcdef',
      upstream: 'origin/main',
      ahead: 1,
      behind: 2,
    });
    expect(facts.stashes).toBe(3);
    expect(countStatus(facts)).toEqual({ staged: 1, unstaged: 2, untracked: 1, conflicted: 1 });
    expect(renderStatus(facts)).toBe(
      [
        '## main...origin/main [ahead 1, behind 2]',
        ' M a b.txt',
        'R  old name -> "new\\nname"',
        'UU both',
        ' M sub (commit changed, modified content, untracked content)',
        '?? fresh',
        '',
      ].join('\n'),
    );
  });
});

describe('names', () => {
  it.each([
    ['"a\\tb\\303\\244\\"\\\\"', 'a\tbä"\\'],
    ['plain', 'plain'],
  ])('%s is unquoted', (quoted, name) => {
    expect(utf8(unquote(quoted))).toBe(name);
  });

  it.each([
    ['a b', 'a b'],
    [' a', '" a"'],
    ['a\n', '"a\\n"'],
    ['"', '"\\""'],
    ['日本', '日本'],
  ])('%j is printed as %s', (name, text) => {
    expect(printable(name)).toBe(text);
  });
});

describe('secret sections of a diff', () => {
  const isSecret = (path: string) => path.includes('secret');
  const section = (a: string, b: string, extra = '') =>
    `diff --git a/${a} b/${b}\n${extra}index 1..2 100644\n--- a/${a}\n+++ b/${b}\n@@ -1 +1 @@\n-old\n+VALUE ${a}\n`;

  it('are left out whole, whichever line names them', () => {
    verifies('roots.secrets');
    const output = [
      section('x.txt', 'x.txt'),
      section('my secret b/c', 'my secret b/c'),
      section('plain', 'secret.txt', 'rename from plain\nrename to secret.txt\n'),
      'diff --git "a/secret\\n.txt" "b/secret\\n.txt"\nold mode 100644\nnew mode 100755\n',
      'diff --cc secret.txt\nindex 1,2..3\n--- a/secret.txt\n+++ b/secret.txt\n@@@ -1,1 -1,1 +1,1 @@@\n- VALUE\n',
      'commit 0123456789abcdef0123456789abcdef01234567\nAuthor: secret\n\n    secret words\n\n',
      section('y.txt', 'y.txt'),
    ].join('');
    const shown = hideSecretSections(output, isSecret);
    expect(shown.hidden).toBe(4);
    expect(shown.output.match(/VALUE .*/g)).toEqual(['VALUE x.txt', 'VALUE y.txt']);
    expect(shown.output).toContain('secret words');
  });

  it('are not imitated by content', () => {
    const output = section('x', 'x').replace('+VALUE x', '+diff --git a/secret b/secret\n+VALUE x');
    expect(hideSecretSections(output, isSecret)).toEqual({ output, hidden: 0 });
  });
});

describe('a page', () => {
  it('ends after a line, never inside a character, and the pages are the whole', () => {
    verifies('git.reads');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 4, max: 40 }), (text, max) => {
        const bytes = Buffer.from(text);
        let all = '';
        for (let at: number | null = 0; at !== null; ) {
          const page: ReturnType<typeof slice> = slice(bytes, at, max);
          expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(max);
          all += page.text;
          at = page.nextOffset;
        }
        expect(all).toBe(bytes.toString());
      }),
    );
  });
});
