import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { testTools } from './context.ts';

function setUp(files: Record<string, string | Uint8Array> = {}) {
  const root = repository(join(temporaryFolder(), 'r'), files);
  const tools = testTools(fileTools, liveView([{ cwd: root }]));
  const read = async (name: string, more: Record<string, unknown> = {}) =>
    (await tools.call('herdr_fs_read', { path: join(root, name), ...more })).body as Record<string, never> & {
      content: string;
      lines: { start: number; end: number; total: number };
      next_start_line: number | null;
    };
  return { root, tools, read };
}

const sha = (bytes: string | Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('herdr_fs_read', () => {
  it('gives lines, facts about the whole file, and where to go on', async () => {
    verifies('files.read');
    const text = Array.from({ length: 450 }, (_, n) => `line ${n + 1}\n`).join('');
    const { root, read } = setUp({ 'a.txt': text });
    const first = await read('a.txt');
    expect(first).toMatchObject({
      path: join(root, 'a.txt'),
      root,
      lines: { start: 1, end: 200, total: 450 },
      next_start_line: 201,
      truncated: true,
      truncated_by: 'lines',
      bytes: text.length,
      budget: 16_384,
      sha256: sha(text),
      encoding: 'utf-8',
      line_ending: 'lf',
      final_newline: true,
    });
    const last = await read('a.txt', { start_line: 401 });
    expect(last).toMatchObject({
      lines: { start: 401, end: 450, total: 450 },
      next_start_line: null,
      truncated: false,
    });
    expect(await read('a.txt', { start_line: 451 })).toMatchObject({
      content: '',
      lines: { start: 451, end: 450, total: 450 },
      next_start_line: null,
    });
    expect(await read('a.txt', { start_line: 3, end_line: 3 })).toMatchObject({
      content: 'line 3\n',
      next_start_line: 4,
    });
  });

  it.each([
    ['', { lines: { start: 1, end: 0, total: 0 }, line_ending: 'none', final_newline: false, content: '' }],
    ['one', { lines: { start: 1, end: 1, total: 1 }, line_ending: 'none', final_newline: false, content: 'one' }],
    ['a\r\nb\r\n', { lines: { start: 1, end: 2, total: 2 }, line_ending: 'crlf', content: 'a\r\nb\r\n' }],
    ['a\r\nb\nc', { lines: { start: 1, end: 3, total: 3 }, line_ending: 'mixed', content: 'a\r\nb\nc' }],
    ['a\rb', { line_ending: 'cr', content: 'a\rb' }],
    ['\ufeffä', { encoding: 'utf-8', bom: true, content: 'ä' }],
    [Buffer.from('\ufeffäb\n', 'utf16le'), { encoding: 'utf-16le', bom: true, content: 'äb\n', line_ending: 'lf' }],
    [Buffer.from('\ufeffäb\n', 'utf16le').swap16(), { encoding: 'utf-16be', bom: true, content: 'äb\n' }],
    [Buffer.from('plain words\n', 'utf16le'), { encoding: 'utf-16le', content: 'plain words\n' }],
    [
      Buffer.from('caf\xe9 \x80\n', 'latin1'),
      { encoding: 'windows-1252', encoding_guessed: true, content: 'café €\n' },
    ],
    [Buffer.from('äöü 日本 \xff\n', 'utf8'), { encoding: 'utf-8', content: 'äöü 日本 \xff\n' }],
    [
      Buffer.concat([Buffer.from('äöü 日本 '), Buffer.from([0xff, 10])]),
      { encoding: 'utf-8', invalid_bytes: true, content: 'äöü 日本 \ufffd\n' },
    ],
  ])('knows how %j is encoded', async (bytes, expected) => {
    verifies('files.read');
    const { read } = setUp({ f: bytes });
    expect(await read('f')).toMatchObject({ ...expected, sha256: sha(bytes) });
  });

  it('cuts at whole lines, and a line that is too long alone at a character', async () => {
    const { read } = setUp({ 'a.txt': `${'ä'.repeat(10)}\nb\n${'c'.repeat(30)}` });
    expect(await read('a.txt', { max_bytes: 24 })).toMatchObject({
      content: `${'ä'.repeat(10)}\nb\n`,
      truncated_by: 'bytes',
      next_start_line: 3,
    });
    expect(await read('a.txt', { max_bytes: 7 })).toMatchObject({
      content: 'äää',
      truncated_by: 'bytes',
      next_start_line: 2,
      cut_line: { line: 1, bytes: 21 },
    });
  });

  it.each([
    ['the only line', '', 5_000_000, '', 5_000_000],
    ['the last line', 'a\nb\n', 3_000_000, '', 3_000_000],
    ['a line in the middle', 'a\n', 2_500_000, '\nlast\n', 2_500_001],
    ['a first line behind a mark', '\ufeff', 2_500_000, '\nlast\n', 2_500_001],
    ['a line that ends in the first piece', 'a\n', 300_000, '\nlast\n', 300_001],
  ])('says how long %s of a large file really is', async (_, before, length, after, bytes) => {
    verifies('files.read');
    const line = before.split('\n').length;
    const { read } = setUp({ 'a.txt': `${before}${'x'.repeat(length)}${after}` });
    expect(await read('a.txt', { start_line: line, max_bytes: 100 })).toMatchObject({
      content: 'x'.repeat(100),
      cut_line: { line, bytes },
    });
  });

  it('refuses what is no text file, each by its name', async () => {
    verifies('files.read');
    const { root, tools } = setUp({ 'bin.dat': Buffer.from([1, 2, 0, 3, 4, 0, 0, 9]), 'a.txt': 'a' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    mkdirSync(join(root, 'folder'));
    const code = async (args: Record<string, unknown>) => (await refusal(() => tools.call('herdr_fs_read', args))).code;
    expect(await code({ path: join(root, 'bin.dat') })).toBe('binary_file');
    expect(await code({ path: join(root, 'folder') })).toBe('not_a_file');
    expect(await code({ path: join(root, 'pipe') })).toBe('not_a_file');
    expect(await code({ path: join(root, 'missing') })).toBe('not_found');
    expect(await code({ path: join(root, '.env') })).toBe('secret_path_denied');
    expect(await code({ path: '/etc/passwd' })).toBe('outside_managed_roots');
    expect(await code({ path: join(root, 'a.txt'), start_line: 5, end_line: 4 })).toBe('invalid_params');
    symlinkSync('/etc/passwd', join(root, 'link'));
    expect(await code({ path: join(root, 'link') })).toBe('symlink_escape');
    truncateSync(join(root, 'a.txt'), 2 ** 31);
    expect(await code({ path: join(root, 'a.txt') })).toBe('file_too_large');
  });

  it('reads a file with an odd name', async () => {
    const names = ['-n', 'a b', 'new\nline', '"q"', '🙂', ' lead', 'x\u0301'];
    const { read } = setUp(Object.fromEntries(names.map((name) => [name, name])));
    for (const name of names) expect((await read(name)).content).toBe(name);
  });

  it('pages through 50 MB from an index, with the same lines that splitting gives', async () => {
    verifies('files.read');
    const { root, read } = setUp();
    const fd = openSync(join(root, 'big.log'), 'w');
    const digest = createHash('sha256');
    let total = 0;
    for (let block = 0; block < 50; block += 1) {
      const text = Array.from(
        { length: 12_000 },
        (_, n) => `${block}.${n} ${'ä'.repeat(36)} ${n % 7 === 0 ? 'long'.repeat(4) : ''}\n`,
      ).join('');
      writeSync(fd, text);
      digest.update(text);
      total += 12_000;
    }
    closeSync(fd);
    const first = await read('big.log', { start_line: 1, end_line: 2 });
    expect(first).toMatchObject({
      lines: { total },
      sha256: `sha256:${digest.digest('hex')}`,
      encoding: 'utf-8',
      line_ending: 'lf',
    });
    for (const line of [1, 1_024, 1_025, 12_001, 300_000, total]) {
      const page = await read('big.log', { start_line: line, end_line: line });
      expect(page.content).toContain(`${Math.floor((line - 1) / 12_000)}.${(line - 1) % 12_000} `);
    }
    const tail = await read('big.log', { start_line: total - 1 });
    expect(tail).toMatchObject({ lines: { end: total }, next_start_line: null });
    const page = await read('big.log', { start_line: 5_000, end_line: 8_000, max_bytes: 10_000 });
    expect(page).toMatchObject({ truncated_by: 'bytes' });
    expect(page.content.endsWith('\n')).toBe(true);
  });

  it('finds out in a large file that it is not UTF-8 after all', async () => {
    const { root, read } = setUp();
    writeFileSync(
      join(root, 'late.txt'),
      Buffer.concat([Buffer.alloc(2_000_000, 'a\n'), Buffer.from('caf\xe9\n', 'latin1')]),
    );
    expect(await read('late.txt', { start_line: 1_000_001 })).toMatchObject({
      encoding: 'windows-1252',
      content: 'café\n',
    });
    writeFileSync(join(root, 'cut.txt'), Buffer.concat([Buffer.alloc(1_048_575, 'a'), Buffer.from('ä€\n')]));
    expect(await read('cut.txt')).toMatchObject({ encoding: 'utf-8', lines: { total: 1 } });
  });

  it('gives the whole file, page after page, whatever its lines and budgets', async () => {
    verifies('files.read');
    const { root, tools } = setUp();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('\n', '\r\n')), {
          maxLength: 40,
        }),
        fc.string({ unit: 'grapheme', maxLength: 5 }),
        fc.integer({ min: 200, max: 400 }),
        fc.integer({ min: 1, max: 7 }),
        async (lines, last, budget, step) => {
          const text =
            lines.map(([line, ending]) => line.replace(/[\n\r\0\ufeff]/g, '') + ending).join('') +
            last.replace(/[\n\r\0\ufeff]/g, '');
          writeFiles(root, { 'p.txt': text });
          let all = '';
          for (let at: number | null = 1; at !== null; ) {
            const args = { path: join(root, 'p.txt'), start_line: at, end_line: at + step, max_bytes: budget };
            const { body } = await tools.call('herdr_fs_read', args);
            all += body.content;
            at = body.next_start_line ?? null;
          }
          expect(all).toBe(text);
        },
      ),
      { numRuns: 200 },
    );
  });
});
