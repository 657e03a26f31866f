import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../runtime-a-b/tools/files/commit/index.ts';
import { verifies } from '../../verifies.ts';
import { git, refusal } from '../roots/live-view.ts';
import { workplace } from './workplace.ts';

describe('herdr_fs_write', () => {
  it('creates a file, and replaces one only when told to', async () => {
    verifies('files.edit');
    const { at, write, bytes, tools } = workplace({ a: 'old\n' });
    expect(await write('new.txt', 'n\n')).toMatchObject({
      created: true,
      overwritten: false,
      bytes: 2,
      sha256: digest(Buffer.from('n\n')),
      path: at('new.txt'),
    });
    expect(await refusal(() => write('a', 'x'))).toMatchObject({
      code: 'overwrite_confirmation_required',
      details: { sha256: digest(Buffer.from('old\n')) },
    });
    expect(bytes('a').toString()).toBe('old\n');
    expect(await write('a', 'x\n', { overwrite: true })).toMatchObject({ created: false, overwritten: true });
    expect(tools.intended).toHaveLength(2);
    expect(tools.intended[0]).toEqual({ path: at('new.txt'), before: null, after: digest(Buffer.from('n\n')) });
    expect(await write('a', 'x\n', { overwrite: true, confirm_dirty: true })).toMatchObject({ unchanged: true });
    expect(await write('empty', '')).toMatchObject({ bytes: 0 });
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n', { line_endings_kept: 'crlf' }],
    ['CRLF, given with CRLF', 'a\r\nb\r\n', 'x\r\ny\n', 'x\r\ny\n', {}],
    ['mixed', 'a\r\nb\n', 'x\ny\n', 'x\ny\n', {}],
    ['a byte order mark', '\ufeffa\n', 'x\n', '\ufeffx\n', {}],
    ['a byte order mark, given with one', '\ufeffa\n', '\ufeffx\n', '\ufeffx\n', {}],
    ['utf-16', Buffer.from('\ufeffa\n', 'utf16le'), 'ä\n', Buffer.from('\ufeffä\n', 'utf16le'), {}],
    ['windows-1252', Buffer.from('\xe9', 'latin1'), 'ö', Buffer.from('\xf6', 'latin1'), {}],
    [
      'windows-1252 that cannot hold it',
      Buffer.from('\xe9', 'latin1'),
      '日',
      Buffer.from('日'),
      { encoding_before: 'windows-1252' },
    ],
    ['binary', Buffer.from([0, 1]), 'text', Buffer.from('text'), {}],
  ])('keeps how a file is written: %s', async (_, before, content, after, facts) => {
    verifies('files.edit');
    const { write, bytes } = workplace({ f: before });
    expect(await write('f', content, { overwrite: true })).toMatchObject(facts);
    expect(bytes('f')).toEqual(Buffer.from(after));
  });

  it('refuses what it may not or cannot do, and changes nothing', async () => {
    const { root, at, tools, bytes } = workplace({ a: 'old', 'd/x': '1' });
    const code = async (args: object) =>
      (await refusal(() => tools.call('herdr_fs_write', { path: at('a'), content: 'x', overwrite: true, ...args })))
        .code;
    symlinkSync('/etc', at('out'));
    symlinkSync('nowhere', at('dangling'));
    writeFileSync(at('dirty'), 'untracked');
    expect(await code({ path: at('dirty') })).toBe('file_dirty_confirmation_required');
    expect(await code({ path: at('missing/x') })).toBe('parent_not_found');
    expect(await code({ path: at('a/x') })).toBe('not_found');
    expect(await code({ path: at('d') })).toBe('not_a_file');
    expect(await code({ path: root })).toBe('not_a_file');
    expect(await code({ path: at('out/x') })).toBe('symlink_escape');
    expect(await code({ path: at('dangling') })).toBe('not_found');
    expect(await code({ path: at('.env.local') })).toBe('secret_path_denied');
    expect(await code({ path: at('.git/hooks/pre-commit') })).toBe('outside_managed_roots');
    expect(await code({ path: at('x'.repeat(300)) })).toBe('stat_failed');
    expect(await code({ expected_sha256: digest(Buffer.from('other')) })).toBe('changed_since_read');
    expect(await code({ path: at('new'), expected_sha256: digest(Buffer.from('')) })).toBe('changed_since_read');
    expect(bytes('a').toString()).toBe('old');
    expect(git(root, 'status', '--porcelain', 'a', 'd')).toBe('');
  });

  it('writes any name', async () => {
    const { write, bytes } = workplace();
    for (const name of ['-n', 'a b', 'new\nline', '"q"', '🙂', ' lead', 'x\u0301', '$(x)']) {
      await write(name, name);
      expect(bytes(name).toString()).toBe(name);
    }
  });

  it('that finds no room changes nothing and says so', () => {
    verifies('files.edit');
    const { root, stateDir, at } = workplace({ a: 'old' });
    const script = `
      import { testTools } from ${JSON.stringify(new URL('./context.ts', import.meta.url).href)};
      import { fileTools } from ${JSON.stringify(new URL('../../../runtime-a-b/tools/files/index.ts', import.meta.url).href)};
      const pane = { pane_id: 'p1', terminal_id: 't', workspace_id: 'w1', tab_id: 't', focused: true, agent_status: 'unknown', revision: 0, cwd: ${JSON.stringify(root)} };
      const tools = testTools(fileTools, { state: 'live', workspaces: [], panes: [pane], agents: [] }, { stateDir: ${JSON.stringify(stateDir)} });
      await tools.call('herdr_fs_write', { path: ${JSON.stringify(at('a'))}, content: 'x'.repeat(3_000_000), overwrite: true })
        .then(() => console.log('WRITTEN'), (error) => console.log(error.code, error.delivery));`;
    // The kernel refuses to make a file larger than the limit, as it refuses on a full disk.
    const result = spawnSync(
      'bash',
      ['-c', 'trap "" XFSZ; ulimit -f 1000; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { encoding: 'utf8' },
    );
    expect(result.stdout.trim()).toBe('disk_full not_delivered');
    expect(readFileSync(at('a'), 'utf8')).toBe('old');
    expect(git(root, 'status', '--porcelain', '--ignored')).toBe('');
  });
});
