import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linkCommand, unlinkCommand } from '../../../cli/install/command-link.ts';
import { refuseNewerState } from '../../../cli/install/programs.ts';
import {
  currentRelease,
  listReleases,
  makeCurrent,
  placeRelease,
  releaseContent,
  releaseFolder,
  removeReleasesExcept,
} from '../../../cli/release/index.ts';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';

let root: string;
let stateDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hm-release-'));
  stateDir = ensurePrivateDir(join(root, 'state'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};

/** An installed package as npm lays it out: a native module that needs two others, one of them in a version of its own. */
function installed(version: string, extra = ''): string {
  const at = join(root, `package-${version}${extra}`);
  const module = (folder: string, manifest: object) =>
    write(join(at, folder, 'package.json'), JSON.stringify(manifest));
  module('.', { name: 'herdr-mcp', version });
  write(join(at, 'dist', 'native.json'), '["native"]');
  write(join(at, 'dist', 'herdr-mcp.js'), `// ${version}${extra}`);
  write(join(at, 'dist', 'herdr-mcp.main.js.map'), 'map');
  write(join(at, 'dist', 'edge', 'worker.js'), 'the other plane');
  module('node_modules/native', {
    name: 'native',
    version: '1.0.0',
    dependencies: { shared: '1' },
    optionalDependencies: { 'for-another-system': '1' },
  });
  write(join(at, 'node_modules', 'native', 'build', 'native.node'), 'binary');
  module('node_modules/shared', { name: 'shared', version: '1.0.0', dependencies: { deep: '1' } });
  module('node_modules/deep', { name: 'deep', version: '2.0.0' });
  module('node_modules/shared/node_modules/deep', { name: 'deep', version: '1.0.0' });
  module('node_modules/unneeded', { name: 'unneeded', version: '1.0.0' });
  return at;
}

describe('a release', () => {
  it('is the package with what its programs need, and nothing else', async () => {
    verifies('ab.services');
    const content = releaseContent(installed('1.0.0'));
    const { id } = await placeRelease(stateDir, content, 1);
    const folder = releaseFolder(stateDir, id);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
    expect(files.sort()).toEqual([
      'dist/herdr-mcp.js',
      'dist/native.json',
      'node_modules/native/build/native.node',
      'node_modules/native/package.json',
      'node_modules/shared/node_modules/deep/package.json',
      'node_modules/shared/package.json',
      'package.json',
      'release.json',
    ]);
  });

  it('is named by its content, stands beside the others, and is never changed', async () => {
    verifies('ab.services');
    const one = await placeRelease(stateDir, releaseContent(installed('1.0.0')), 1);
    const same = await placeRelease(stateDir, releaseContent(installed('1.0.0', '')), 2);
    const patched = await placeRelease(stateDir, releaseContent(installed('1.0.0', ' patched')), 3);
    const two = await placeRelease(stateDir, releaseContent(installed('2.0.0')), 4);
    expect(same).toEqual(one);
    expect(new Set([one.id, patched.id, two.id]).size).toBe(3);
    await makeCurrent(stateDir, one.id);
    await makeCurrent(stateDir, two.id);
    expect((await currentRelease(stateDir))?.version).toBe('2.0.0');
    expect(readFileSync(join(releaseFolder(stateDir, one.id), 'dist', 'herdr-mcp.js'), 'utf8')).toBe('// 1.0.0');
    await removeReleasesExcept(stateDir, new Set([two.id]));
    expect((await listReleases(stateDir)).map(({ id }) => id)).toEqual([two.id]);
  });

  it('that was killed while it was placed is nobody’s, and the next one clears it', async () => {
    verifies('ab.services');
    const from = installed('1.0.0');
    for (let n = 0; n < 400; n += 1) write(join(from, 'dist', `part-${n}.js`), 'x'.repeat(4_000));
    const script = `
      import { placeRelease, releaseContent } from ${JSON.stringify(join(import.meta.dirname, '../../../cli/release/index.ts'))};
      const content = releaseContent(${JSON.stringify(from)});
      console.log('begins');
      await placeRelease(${JSON.stringify(stateDir)}, content, 1);`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const releases = join(stateDir, 'releases');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    while (!existsSync(releases) || readdirSync(releases).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    const placed = await placeRelease(stateDir, releaseContent(from), 2);
    expect(readdirSync(releases)).toEqual([placed.id]);
    expect(readdirSync(join(releases, placed.id, 'dist')).length).toBe(402);
  });

  it('that was damaged is nobody’s, breaks no list, and is placed anew', async () => {
    verifies('ab.services');
    const whole = await placeRelease(stateDir, releaseContent(installed('1.0.0')), 1);
    await makeCurrent(stateDir, whole.id);
    writeFileSync(join(releaseFolder(stateDir, whole.id), 'release.json'), '{"schema":');
    expect([await listReleases(stateDir), await currentRelease(stateDir)]).toEqual([[], undefined]);
    expect(await placeRelease(stateDir, releaseContent(installed('1.0.0')), 2)).toMatchObject({ id: whole.id });
    expect((await currentRelease(stateDir))?.placed_at_ms).toBe(2);
  });

  it('that is none is refused by name', () => {
    expect(() => releaseContent(root)).toThrow(expect.objectContaining({ code: 'not_a_release' }));
    const from = installed('1.0.0');
    rmSync(join(from, 'node_modules', 'native'), { recursive: true });
    expect(() => releaseContent(from)).toThrow(expect.objectContaining({ code: 'native_module_missing' }));
  });
});

describe('a database that a newer release wrote', () => {
  it('is not opened by an older one, and the way out is named', () => {
    verifies('ab.services');
    const state = openState(stateDir);
    state.database.prepare("UPDATE meta SET value = '99' WHERE key = 'oldest_reader'").run();
    state.close();
    const older = { version: '0.1.0', state: { knows: 4, oldest_reader: 1 } };
    expect(() => refuseNewerState(stateDir, older)).toThrow(
      expect.objectContaining({
        code: 'state_newer',
        next: expect.stringMatching(/Install that newer version, or put a copy from .*backups/),
      }),
    );
    refuseNewerState(stateDir, { version: '9.0.0', state: { knows: 99, oldest_reader: 1 } });
  });
});

describe('the command in ~/.local/bin', () => {
  it('is a link of ours, and another’s file is left alone', () => {
    const home = join(root, 'home');
    expect(linkCommand(home, stateDir, '/usr/bin')).toContain('to your PATH');
    expect(linkCommand(home, stateDir, `/usr/bin:${join(home, '.local', 'bin')}`)).toBeUndefined();
    unlinkCommand(home, stateDir);
    const file = join(home, '.local', 'bin', 'herdr-mcp');
    expect(existsSync(file)).toBe(false);
    write(file, '#!/bin/sh\n');
    expect(linkCommand(home, stateDir, '')).toContain('is another file and was left alone');
    unlinkCommand(home, stateDir);
    expect(existsSync(file)).toBe(true);
  });
});
