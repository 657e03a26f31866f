import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeSearch, type SearchFacts } from '../../../runtime-a-b/tools/files/grep-verdict.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { testTools } from './context.ts';

function setUp(files: Record<string, string | Uint8Array>) {
  const root = repository(join(temporaryFolder(), 'r'), files);
  const tools = testTools(fileTools, liveView([{ cwd: root }]));
  const grep = async (pattern: string, more: Record<string, unknown> = {}) =>
    (await tools.call('herdr_fs_grep', { root, pattern, ...more })).body as unknown as Record<string, unknown> & {
      matches: { file: string; line: number; content: string }[];
    };
  const files_ = async (pattern: string, more: Record<string, unknown> = {}) => [
    ...new Set((await grep(pattern, more)).matches.map((match) => match.file)),
  ];
  const code = async (pattern: string, more: Record<string, unknown> = {}) =>
    (await refusal(() => grep(pattern, more))).code;
  return { root, tools, grep, files: files_, code };
}

describe('herdr_fs_grep', () => {
  it('finds plain text unless it is told otherwise', async () => {
    verifies('files.grep');
    const { root, grep } = setUp({ 'a.ts': 'x\nif (a.b[0]) {\n', 'b.ts': 'if (axb0) {\nIF (A.B[0])\n' });
    expect(await grep('a.b[0]')).toMatchObject({
      root,
      count: 1,
      truncated: false,
      engine: 'rg',
      phase: 'completed',
      matches: [{ file: 'a.ts', line: 2, content: 'if (a.b[0]) {' }],
    });
    expect((await grep('a.b0', { regex: true })).matches).toEqual([{ file: 'b.ts', line: 1, content: 'if (axb0) {' }]);
    expect((await grep('a.b[0]', { case_insensitive: true })).matches).toHaveLength(2);
    expect((await grep('nowhere')).matches).toEqual([]);
    expect((await grep('-n')).matches).toEqual([]);
  });

  it('follows .gitignore also under a glob, sees hidden files, and never .git or secrets', async () => {
    verifies('files.grep', 'roots.secrets');
    const { root, files } = setUp({
      '.gitignore': '*.log\nbuild/\n!keep.log\n',
      'src/a.ts': 'needle',
      '.github/w.yml': 'needle',
      'secrets.yml': 'needle',
      '.env': 'needle',
      'b.txt': 'needle',
    });
    writeFiles(root, { 'x.log': 'needle', 'build/a.ts': 'needle', 'keep.log': 'needle', '.git/needle.txt': 'needle' });
    expect(await files('needle')).toEqual(['.github/w.yml', 'b.txt', 'keep.log', 'src/a.ts']);
    expect(await files('needle', { glob: '*.log' })).toEqual(['keep.log']);
    expect(await files('needle', { glob: '*.ts' })).toEqual(['src/a.ts']);
    expect(await files('needle', { glob: 'src/**/*.ts' })).toEqual(['src/a.ts']);
    expect(await files('needle', { glob: '**/*.{yml,txt}' })).toEqual(['.github/w.yml', 'b.txt']);
    expect(await files('needle', { glob: '!*.ts' })).toEqual(['.github/w.yml', 'b.txt', 'keep.log']);
    expect(await files('needle', { root: join(root, 'src') })).toEqual(['a.ts']);
  });

  it('is an error when the only matches are in files that are too large', async () => {
    verifies('files.grep');
    const { grep, code } = setUp({ 'big.txt': `${'x'.repeat(300_000)}\nneedle\n`, 'small.txt': 'other needle-2\n' });
    expect((await grep('needle nowhere')).matches).toEqual([]);
    expect(await code('needle', { glob: 'big.txt' })).toBe('grep_incomplete');
    expect(await grep('needle')).toMatchObject({ count: 1, skipped_larger: [{ file: 'big.txt' }] });
    expect(await grep('needle', { max_bytes: 1_000_000 })).toMatchObject({ count: 2 });
  });

  it('cuts at max_matches and says so; many matches come grouped by file', async () => {
    const { grep } = setUp({ 'a.txt': 'hit\n'.repeat(30), 'b.txt': 'hit\n'.repeat(3) });
    expect(await grep('hit', { max_matches: 5 })).toMatchObject({ count: 5, truncated: true });
    const all = await grep('hit');
    expect(all).toMatchObject({ count: 33, truncated: false, compacted: true, counts: { files: 2, matches: 33 } });
    expect(all.matches).toMatch(/^a\.txt\n1:hit\n2:hit\n[\s\S]*\n\nb\.txt\n1:hit\n2:hit\n3:hit$/);
    expect(await grep('hit', { max_matches: 33 })).toMatchObject({ count: 33, truncated: false });
    expect(await grep('hit', { max_matches: 32 })).toMatchObject({ count: 32, truncated: true });
  });

  it('cuts a line of megabytes around the match, and reads odd names and bytes', async () => {
    const { grep } = setUp({
      'min.js': `${'x'.repeat(100_000)}needle${'y'.repeat(100_000)}`,
      'new\nline 🙂.txt': 'needle',
      '-dash': 'needle',
      'latin.txt': Buffer.from('caf\xe9 needle\n', 'latin1'),
      'wide.txt': Buffer.from('\ufeffneedle wide\n', 'utf16le'),
    });
    const { matches } = await grep('needle');
    expect(matches.map((match) => match.file)).toEqual([
      '-dash',
      'latin.txt',
      'min.js',
      'new\nline 🙂.txt',
      'wide.txt',
    ]);
    const long = matches.find((match) => match.file === 'min.js')?.content ?? '';
    expect(long.length).toBeLessThan(600);
    expect(long).toMatch(/^….*needle.*…$/);
  });

  it('finds what stands in a file whose name is no UTF-8', async () => {
    const { root, grep } = setUp({});
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff]), Buffer.from('.txt')]), 'needle\n');
    expect((await grep('needle')).matches).toEqual([{ file: 'bad-\ufffd.txt', line: 1, content: 'needle' }]);
  });

  it('names a bad pattern, a bad glob and a root that is none', async () => {
    const { root, code } = setUp({ 'a.txt': 'a' });
    expect(await code('(', { regex: true })).toBe('invalid_params');
    expect(await code('a{999999999}', { regex: true })).toBe('invalid_params');
    expect(await code('a\nb')).toBe('invalid_params');
    expect(await code('a', { glob: 'x\ny' })).toBe('invalid_params');
    expect(await code('a', { root: join(root, 'a.txt') })).toBe('not_a_directory');
    expect(await code('a', { root: '/etc' })).toBe('outside_managed_roots');
  });

  it('can be cancelled', async () => {
    const root = repository(join(temporaryFolder(), 'r'), { a: 'a' });
    const stop = new AbortController();
    stop.abort();
    const tools = testTools(fileTools, liveView([{ cwd: root }]), { signal: stop.signal });
    expect((await refusal(() => tools.call('herdr_fs_grep', { root, pattern: 'a' }))).code).toBe('cancelled');
  });
});

describe('whether an empty answer would be the truth', () => {
  const facts = (more: Partial<SearchFacts>): SearchFacts => ({
    code: 1,
    stderr: '',
    shown: 0,
    larger: [],
    maxBytes: 10,
    cut: false,
    ...more,
  });

  it.each([
    [facts({}), 'complete'],
    [facts({ code: 0 }), 'complete'],
    [facts({ code: 2, stderr: 'rg: ./x: Permission denied (os error 13)' }), 'incomplete'],
    [facts({ code: 2, stderr: 'rg: ./x: Permission denied', shown: 1 }), 'complete'],
    [facts({ code: null }), 'incomplete'],
    [facts({ cut: true }), 'incomplete'],
    [facts({ larger: [{ file: 'x', bytes: 11 }] }), 'incomplete'],
    [facts({ code: 2, stderr: 'rg: regex parse error:\n  (' }), 'badPattern'],
  ])('%o', (given, expected) => {
    verifies('files.grep');
    const verdict = judgeSearch(given);
    expect(verdict === expected || (typeof verdict === 'object' && expected in verdict)).toBe(true);
  });
});
