import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from './context.ts';

/** A clone of this very project has the state folder of `npm start` inside it. */
function setUp() {
  const root = repository(join(temporaryFolder(), 'r'), {
    'a.txt': 'needle',
    'state/exec/login-env.json': '{"API":"needle"}',
    'state-of-things/b.txt': 'needle',
  });
  const state = join(root, 'state');
  const tools = testTools(fileTools, liveView([{ cwd: root }, { cwd: state }]), {
    policy: { protectedFolders: [state] },
  });
  return { root, state, tools };
}

describe('a protected folder inside a root', () => {
  it.each<[string, Record<string, unknown>]>([
    ['herdr_fs_read', { path: 'exec/login-env.json' }],
    ['herdr_fs_write', { path: 'config.json', content: '{}' }],
    ['herdr_fs_edit', { path: 'exec/login-env.json', old_string: 'needle', new_string: 'x' }],
    ['herdr_fs_list', { path: 'exec' }],
    ['herdr_fs_image', { path: 'a.png' }],
  ])('is refused to %s', async (tool, args) => {
    verifies('roots.protected');
    const { state, tools } = setUp();
    const refused = await refusal(() => tools.call(tool, { ...args, path: join(state, String(args.path)) }));
    expect(refused).toMatchObject({ code: 'protected_folder_unavailable', next: expect.stringMatching(/\w/) });
    expect(refused.message).toContain('nothing was touched');
  });

  it('is left out of lists and searches, and its namesakes are not', async () => {
    verifies('roots.protected', 'files.list', 'files.grep');
    const { root, state, tools } = setUp();
    const listed = (await tools.call('herdr_fs_list', { path: root, recursive: true })).body;
    const names = (listed.entries as unknown as { relative_path: string }[]).map((entry) => entry.relative_path);
    expect(names).toEqual(['a.txt', 'state-of-things', 'state-of-things/b.txt']);
    const found = (await tools.call('herdr_fs_grep', { root, pattern: 'needle' })).body;
    expect(found).toMatchObject({ count: 2, matches: [{ file: 'a.txt' }, { file: 'state-of-things/b.txt' }] });
    const inside = await refusal(() => tools.call('herdr_fs_grep', { root: state, pattern: 'needle' }));
    expect(inside.code).toBe('protected_folder_unavailable');
  });
});
