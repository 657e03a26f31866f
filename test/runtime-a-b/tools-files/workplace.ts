/** A repository, a state folder and the file tools over both. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveView } from '../../../runtime-a-b/roots/index.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { liveView, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from './context.ts';

export function workplace(
  files: Record<string, string | Uint8Array> = {},
  options: { policy?: object; view?: (root: string) => LiveView } = {},
) {
  const base = temporaryFolder();
  const root = repository(join(base, 'r'), files);
  const stateDir = join(base, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  const tools = testTools(fileTools, options.view?.(root) ?? liveView([{ cwd: root }]), {
    stateDir,
    policy: options.policy ?? {},
  });
  const at = (name: string) => join(root, name);
  const edit = async (name: string, old_string: string, new_string: string, more: object = {}) =>
    (await tools.call('herdr_fs_edit', { path: at(name), old_string, new_string, ...more })).body as Record<
      string,
      unknown
    >;
  const write = async (name: string, content: string, more: object = {}) =>
    (await tools.call('herdr_fs_write', { path: at(name), content, ...more })).body as Record<string, unknown>;
  const bytes = (name: string) => readFileSync(at(name));
  return { base, root, stateDir, tools, at, edit, write, bytes };
}
