import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TURN_MARGIN_MS } from '../../../runtime-a-b/limits.ts';
import { digest } from '../../../runtime-a-b/tools/files/commit/index.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { COMMIT_TRIES } from '../../../runtime-a-b/tools/files/limits.ts';
import { inTurn } from '../../../runtime-a-b/tools/files/mutation.ts';
import { verifies } from '../../verifies.ts';
import { git, liveView, refusal, temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { testTools } from './context.ts';
import { workplace } from './workplace.ts';

describe('herdr_fs_edit', () => {
  it('replaces one text and says what the file is now', async () => {
    verifies('files.edit');
    const { root, at, edit, bytes, tools } = workplace({ 'a.ts': 'one\ntwo\nthree\n' });
    expect(await edit('a.ts', 'two', '2')).toMatchObject({
      path: at('a.ts'),
      root,
      replaced: 1,
      line: 2,
      bytes_before: 14,
      bytes_after: 12,
      sha256: digest(Buffer.from('one\n2\nthree\n')),
      line_ending: 'lf',
      encoding: 'utf-8',
    });
    expect(bytes('a.ts').toString()).toBe('one\n2\nthree\n');
    expect(tools.intended).toEqual([
      {
        path: at('a.ts'),
        before: digest(Buffer.from('one\ntwo\nthree\n')),
        after: digest(Buffer.from('one\n2\nthree\n')),
      },
    ]);
    expect(git(root, 'status', '--porcelain')).toBe(' M a.ts\n');
  });

  it.each([
    ['CRLF with one bare LF', 'a\r\nb\nc\r\n', 'c', 'C\nD', 'a\r\nb\nC\nD\r\n'],
    ['CRLF, the text given with LF', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\nz\n', 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF, one line becomes two', 'a\r\nb\r\n', 'a', 'a\nA', 'a\r\nA\r\nb\r\n'],
    ['mixed endings inside the match', 'a\r\nb\nc\r\n', 'a\nb\nc', 'A\nB\nC\nD', 'A\r\nB\nC\nD\r\n'],
    ['LF, the text given with CRLF', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
    ['no final newline', 'a\nb', 'b', 'c', 'a\nc'],
    ['a byte order mark', '\ufeffa\nb\n', 'a', 'x', '\ufeffx\nb\n'],
    ['a whole file', 'a', 'a', '', ''],
    ['dollar signs in the new text', 'a b', 'b', '$& $1 $$', 'a $& $1 $$'],
    ['a lone CR', 'a\rb', 'b', 'c', 'a\rc'],
  ])('keeps every other byte: %s', async (_, before, from, to, after) => {
    verifies('files.edit');
    const { edit, bytes } = workplace({ f: before });
    await edit('f', from, to);
    expect(bytes('f').toString()).toBe(after);
  });

  it.each([
    [
      'windows-1252',
      Buffer.from('caf\xe9 \x80 old\n', 'latin1'),
      'old',
      'neu ö€',
      Buffer.from('caf\xe9 \x80 neu \xf6\x80\n', 'latin1'),
    ],
    ['utf-16le', Buffer.from('\ufeffä old\n', 'utf16le'), 'ä old', 'ö', Buffer.from('\ufeffö\n', 'utf16le')],
    [
      'broken utf-8',
      Buffer.concat([Buffer.from('äöü 日本 '), Buffer.from([0xff]), Buffer.from(' ä old\n')]),
      'ä old',
      '語',
      Buffer.concat([Buffer.from('äöü 日本 '), Buffer.from([0xff]), Buffer.from(' 語\n')]),
    ],
  ])('keeps the encoding: %s', async (_, before, from, to, after) => {
    verifies('files.edit');
    const { edit, bytes } = workplace({ f: before });
    await edit('f', from, to);
    expect(bytes('f')).toEqual(after);
  });

  it('keeps mode, symlinks and hard links', async () => {
    verifies('files.edit');
    const { at, edit, bytes } = workplace({ 'a.sh': 'old', 'b.txt': 'old' });
    execFileSync('chmod', ['754', at('a.sh')]);
    symlinkSync('a.sh', at('link'));
    linkSync(at('b.txt'), at('b2.txt'));
    await edit('link', 'old', 'new', { confirm_dirty: true });
    await edit('b.txt', 'old', 'newer', { confirm_dirty: true });
    expect([bytes('a.sh').toString(), statSync(at('a.sh')).mode & 0o777]).toEqual(['new', 0o754]);
    expect([bytes('b2.txt').toString(), statSync(at('b.txt')).nlink]).toEqual(['newer', 2]);
  });

  it('shows where a long text differs', async () => {
    verifies('files.edit');
    const line = (n: number) => (n === 60 ? '    kind: "run.start",' : `    key${n}: ${n},`);
    const { at, tools, bytes } = workplace({
      'o.ts': Array.from({ length: 80 }, (_, n) => `${line(n + 1)}\n`).join(''),
    });
    const wanted = Array.from({ length: 24 }, (_, n) => line(n + 40))
      .join('\n')
      .replace('run.start', 'run_start');
    const failure = await refusal(() =>
      tools.call('herdr_fs_edit', { path: at('o.ts'), old_string: wanted, new_string: 'x' }),
    );
    expect(failure).toMatchObject({
      code: 'old_string_not_found',
      details: {
        occurrences: 0,
        nearest: [
          {
            line: 40,
            matched_before: 20,
            matched: 23,
            of: 24,
            first_difference: {
              line: 60,
              expected: '    kind: "run_start",',
              found: '    kind: "run.start",',
              hint: expect.stringContaining('column 15'),
            },
          },
        ],
      },
    });
    expect(failure.message).toContain('line 60');
    expect(bytes('o.ts').toString()).toContain('run.start');
  });

  it.each([
    ['tabs for spaces', '\tif (x) {\n\t\ty();\n', '    if (x) {\n        y();', /a space.*a tab/],
    ['a no-break space', 'a\u00a0b c d e f\n', 'a b c d e f', /a space.*no-break space/],
    ['a typographic quote', 'say “hello” to them\n', 'say "hello" to them', /U\+0022.*U\+201C/],
  ])('tells %s apart', async (_, text, wanted, hint) => {
    verifies('files.edit');
    const { at, tools } = workplace({ f: text });
    const failure = await refusal(() =>
      tools.call('herdr_fs_edit', { path: at('f'), old_string: wanted, new_string: 'x' }),
    );
    expect((failure.details.nearest as { first_difference: { hint: string } }[])[0]?.first_difference.hint).toMatch(
      hint,
    );
  });

  it('refuses what is not there once, or would change nothing, or cannot be', async () => {
    const { at, root, tools, write, bytes } = workplace({
      a: 'x x aaa\n',
      bin: Buffer.from([0, 1, 2]),
      latin: Buffer.from('caf\xe9', 'latin1'),
      '.env': 'K=x',
    });
    const code = async (args: object) =>
      (await refusal(() => tools.call('herdr_fs_edit', { path: at('a'), old_string: 'x', new_string: 'y', ...args })))
        .code;
    expect(
      await refusal(() => tools.call('herdr_fs_edit', { path: at('a'), old_string: 'x', new_string: 'y' })),
    ).toMatchObject({ code: 'old_string_not_unique', details: { occurrences: 2, lines: [1, 1] } });
    expect(await code({ old_string: 'aa' })).toBe('old_string_not_unique');
    expect(await code({ old_string: 'nothing like it' })).toBe('old_string_not_found');
    expect(await code({ old_string: 'x', new_string: 'x' })).toBe('invalid_params');
    expect(await code({ path: at('bin') })).toBe('binary_file');
    expect(await code({ path: at('latin'), old_string: 'caf', new_string: '日本' })).toBe('write_failed');
    expect(await code({ path: at('.env') })).toBe('secret_path_denied');
    expect(await code({ path: at('missing') })).toBe('not_found');
    expect(await code({ path: root })).toBe('not_a_file');
    expect(await code({ path: at('.git/HEAD') })).toBe('outside_managed_roots');
    expect(await code({ old_string: 'aaa', expected_sha256: 'sha256:00' })).toBe('changed_since_read');
    expect(bytes('a').toString()).toBe('x x aaa\n');
    expect(
      await tools.call('herdr_fs_edit', {
        path: at('a'),
        old_string: 'aaa',
        new_string: 'b',
        expected_sha256: digest(bytes('a')).slice(7).toUpperCase(),
      }),
    ).toMatchObject({ ok: true });
    expect(await write('new', 'n')).toMatchObject({ created: true });
  });

  it('is held by the gates, each with its confirmation or none', async () => {
    verifies('gates.write');
    const busy = (root: string) => liveView([{ cwd: root, agent: { name: 'builder', status: 'working' } }]);
    const code = async (place: ReturnType<typeof workplace>, more: object = {}) =>
      (await refusal(() => place.edit('a', 'x', 'y', more))).code;
    expect(await code(workplace({ a: 'x' }, { policy: { readOnly: true } }))).toBe('readonly_mode');
    expect(await code(workplace({ a: 'x' }, { policy: { writeRoots: ['/elsewhere'] } }))).toBe('root_not_whitelisted');
    const working = workplace({ a: 'x' }, { view: busy });
    expect(await code(working)).toBe('agent_working');
    expect(await working.edit('a', 'x', 'y', { confirm_busy: true })).toMatchObject({
      warnings: { working: [{ agent: 'builder', pane: 'p1' }] },
    });
    const dirty = workplace({ a: 'x' });
    appendFileSync(dirty.at('a'), ' more');
    expect(await code(dirty)).toBe('file_dirty_confirmation_required');
    expect(await dirty.edit('a', 'x', 'y', { confirm_dirty: true })).toMatchObject({ replaced: 1 });
    const plain = join(temporaryFolder(), 'plain');
    writeFiles(plain, { a: 'x' });
    const operational = testTools(fileTools, liveView([{ cwd: plain }]), { stateDir: temporaryFolder() });
    expect(
      (
        await refusal(() =>
          operational.call('herdr_fs_edit', { path: join(plain, 'a'), old_string: 'x', new_string: 'y' }),
        )
      ).code,
    ).toBe('operational_root_mutation_unsupported');
  });

  it('loses none of ten at once', async () => {
    verifies('files.edit');
    const { edit, bytes } = workplace({ a: Array.from({ length: 10 }, (_, n) => `<${n}>\n`).join('') });
    await Promise.all(Array.from({ length: 10 }, (_, n) => edit('a', `<${n}>`, `[${n}]`, { confirm_dirty: true })));
    expect(bytes('a').toString()).toBe(Array.from({ length: 10 }, (_, n) => `[${n}]\n`).join(''));
  });

  it('is made although somebody else changes the file at the same moment, and lost is nothing of either', async () => {
    verifies('files.edit');
    const { at, bytes, tools } = workplace({ a: 'old\n' });
    let times = 0;
    const intend = () => {
      times += 1;
      if (times <= 5) appendFileSync(at('a'), `theirs ${times}\n`);
    };
    const edit = { path: at('a'), old_string: 'old', new_string: 'new', confirm_dirty: true };
    await tools.call('herdr_fs_edit', edit, { intend });
    expect(bytes('a').toString()).toBe('new\ntheirs 1\ntheirs 2\ntheirs 3\ntheirs 4\ntheirs 5\n');
  });

  it('that somebody else forestalls again and again is not made, and the answer says to send it again', async () => {
    verifies('files.edit');
    const { at, bytes, tools } = workplace({ a: 'old\n' });
    const intend = () => appendFileSync(at('a'), 'theirs\n');
    const edit = { path: at('a'), old_string: 'old', new_string: 'new', confirm_dirty: true };
    await expect(tools.call('herdr_fs_edit', edit, { intend })).rejects.toMatchObject({
      ...{ code: 'changed_since_read', delivery: 'not_delivered' },
      next: expect.stringContaining('Send the same call again'),
    });
    expect(bytes('a').toString()).toBe(`old\n${'theirs\n'.repeat(COMMIT_TRIES)}`);
  });

  it('that waits behind another until its time is over is not made, also not later', async () => {
    verifies('files.edit', 'link.in-time');
    const { root, at, write, bytes, tools } = workplace({ a: 'old\n' });
    let end: () => void = () => undefined;
    const before = inTurn(
      root,
      tools.context,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const hurried = { deadlineAtMs: Date.now() + TURN_MARGIN_MS };
    for (const [tool, args] of [
      ['herdr_fs_edit', { path: at('a'), old_string: 'old', new_string: 'new' }],
      ['herdr_fs_write', { path: at('b'), content: 'new' }],
      ['herdr_fs_patch', { root, patch: '*** Begin Patch\n*** Delete File: a\n*** End Patch\n' }],
    ] as const) {
      const late = tools.call(tool, args, hurried);
      await expect(late, tool).rejects.toMatchObject({ code: 'request_timeout', delivery: 'not_delivered' });
    }
    end();
    await before;
    await write('c', 'comes after all of them');
    expect([bytes('a').toString(), existsSync(at('b'))]).toEqual(['old\n', false]);
  });

  it('changes exactly the match, whatever the text', async () => {
    verifies('files.edit');
    const { at, tools } = workplace({ p: '' });
    const text = fc
      .array(fc.constantFrom('a', 'ä', '日', '🙂', ' ', '\n', '\r\n', '\t', '$', '\\', 'b'), { maxLength: 30 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (head, tail, replacement) => {
        const before = `${head}<<MARK>>${tail}`;
        writeFileSync(at('p'), before);
        await tools.call('herdr_fs_edit', {
          path: at('p'),
          old_string: '<<MARK>>',
          new_string: replacement,
          confirm_dirty: true,
        });
        const after = readFileSync(at('p'), 'utf8');
        expect(after.startsWith(head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        const middle = after.slice(head.length, after.length - tail.length);
        expect(middle.replaceAll('\r\n', '\n')).toBe(replacement.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 60 },
    );
  });
});
