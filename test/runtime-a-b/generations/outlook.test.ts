/** What a supervisor knows of the revisions that it may start. */
import { chmodSync, cpSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { begin } from '../../../runtime-a-b/generations/supervisor/begin.ts';
import { Children } from '../../../runtime-a-b/generations/supervisor/children.ts';
import { Outlook } from '../../../runtime-a-b/generations/supervisor/outlook.ts';
import { verifies } from '../../verifies.ts';
import { at } from './support/each.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a damaged revision that was staged anew is read at once, also in a folder with the inode of the one before', async () => {
  verifies('ab.generations');
  vi.spyOn(performance, 'now').mockReturnValue(0); // no time passes: nothing is read again because it is due
  const revision = await at.stage({ version: '1.0.0' });
  await at.want((now) => ({ ...now, candidate: revision }));
  const children = new Children({ stateDir: at.stateDir, env: {}, ports: { a: 0, b: 0 } });
  const outlook = new Outlook(at.stateDir, children, () => undefined);
  const own = { observed: begin(undefined), jobs: new Set<never>(), ending: false, restarts: true };
  const known = async () => (await outlook.view(own)).revision(revision)?.revision;

  const folder = join(at.stateDir, 'revisions', revision);
  const whole = join(at.folder, 'whole');
  cpSync(folder, whole, { recursive: true });
  chmodSync(join(folder, 'native.json'), 0o600);
  writeFileSync(join(folder, 'native.json'), '["a');
  expect(await known()).toBeUndefined();

  // What a file system does that gives a new folder the inode of a removed one, as seen from outside.
  const { ino, mtimeMs } = statSync(folder);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  cpSync(whole, folder, { recursive: true });
  utimesSync(folder, new Date(), new Date(mtimeMs + 1_000));
  expect(statSync(folder).ino).toBe(ino);
  expect(await known()).toBe(revision);
});
