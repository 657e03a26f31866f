import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { build, ROOT } from '../../scripts/build/index.ts';
import { Home, packed, running, variant } from '../../scripts/rehearse/index.ts';
import { played } from '../played.ts';
import { startRegistry } from '../support/registry.ts';
import { verifies } from '../verifies.ts';
import { processesOf } from './product.ts';

const EVERY = process.env['HERDR_MCP_MATRIX'] === '1';

let folder: string;
let home: Home;
let first: string;
let second: string;

beforeAll(async () => {
  await build({ parts: ['node'] });
  const own = join(ROOT, '.herdr-mcp'); // inside the clone, so that the native modules are found
  mkdirSync(own, { recursive: true });
  folder = mkdtempSync(join(own, 'installation-'));
  first = await packed(ROOT, folder);
  second = variant(first, join(folder, 'second'), '0.90.0', 'none');
  home = new Home();
  await home.prepare();
  await home.command(['install', '--no-service'], first);
  await running(home);
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true });
});

const wanted = (name: 'candidate' | 'active'): string =>
  (JSON.parse(readFileSync(join(home.stateDir, 'desired.json'), 'utf8')) as Record<string, string>)[name] ?? '';
const isHere = (below: string, version: string): boolean =>
  existsSync(join(home.stateDir, below)) &&
  readdirSync(join(home.stateDir, below)).some((name) => name.startsWith(version));

describe('a file of npm pack', () => {
  it('is an update: npm fetches what it needs and runs none of its scripts; what is no release changes nothing', async () => {
    verifies('ab.services');
    const registry = await startRegistry(join(ROOT, 'node_modules'));
    home.env['npm_config_registry'] = registry.url;
    try {
      const before = await home.state();
      const broken = join(folder, 'herdr-mcp-0.95.0.tgz');
      writeFileSync(broken, 'no archive');
      const refused = await home.command(['update', '--no-service', broken]);
      expect([refused.code, refused.stderr.toString()]).toEqual([1, expect.stringContaining('nothing was changed')]);
      expect(await home.state()).toEqual(before);

      const release = variant(first, join(folder, 'third'), '0.94.0', 'none');
      const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: release });
      const updated = await home.command(['update', '--no-service', join(folder, stdout.toString().trim())]);
      expect([updated.code, updated.stderr.toString()]).toEqual([0, '']);
      expect(await home.state()).toMatchObject({
        installed: expect.stringMatching(/^0\.94\.0-/),
        serving: expect.stringMatching(/^0\.94\.0-/),
        supervisor: 'running',
      });
      expect(registry.fetched).toEqual(expect.arrayContaining(['better-sqlite3', 'sharp', '@lydell/node-pty']));
      expect((await home.command(['rollback', '--no-service'])).code).toBe(0);
    } finally {
      delete home.env['npm_config_registry'];
      await registry.close();
    }
  });
});

describe('a command that is killed in the middle and run again', () => {
  /** All with HERDR_MCP_MATRIX=1, else every other one. */
  const points: [string, () => boolean | Promise<boolean>][] = [
    ['the release is placed', () => isHere('releases', '0.90.0')],
    ['its programs are staged', () => isHere('revisions', '0.90.0')],
    ['it is wanted as a candidate', () => wanted('candidate').startsWith('0.90.0')],
    ['it is wanted as the active one', () => wanted('active').startsWith('0.90.0')],
    ['calls have moved, and nothing else yet', async () => (await home.state()).serving?.startsWith('0.90.0') === true],
  ];

  it.each(points.filter((_, index) => EVERY || index % 2 === 1 || index === points.length - 1))(
    'update, when %s: it ends right, and so does the way back',
    async (_, when) => {
      verifies('ab.services');
      const before = await home.state();
      expect(before.installed).toMatch(/^0\.1\.0-/);
      if ((await home.killed(['update', '--no-service', second], when)) === 'killed') played('kills');
      const half = await home.state();
      expect(half.supervisor).not.toBe('none');
      expect(half.installed).toMatch(/^0\.(1|90)\.0-/);
      const again = await home.command(['update', '--no-service', second]);
      expect([again.code, again.stderr.toString()]).toEqual([0, '']);
      const after = await home.state();
      expect([after.installed, after.serving]).toEqual([
        expect.stringMatching(/^0\.90\.0-/),
        expect.stringMatching(/^0\.90\.0-/),
      ]);

      const rollback = await home.killed(['rollback', '--no-service'], () => wanted('active').startsWith('0.1.0'));
      if (rollback === 'killed') played('kills');
      const back = await home.command(['rollback', '--no-service']);
      const end = await home.state();
      expect([back.code, end.installed, end.serving]).toEqual([0, before.installed, before.serving]);
    },
  );

  it('uninstall: nothing starts again by itself, nothing is left running, and the data stays', async () => {
    verifies('ab.services');
    await home.killed(
      ['uninstall'],
      () => !JSON.parse(readFileSync(join(home.stateDir, 'desired.json'), 'utf8')).running,
    );
    expect(await home.ended).toBe(0);
    expect((await home.state()).wanted).toBe('stopped');
    const watch = await home.command(['up', '--service']);
    expect([watch.code, (await home.state()).supervisor]).toEqual([0, 'none']);
    const again = await home.command(['uninstall'], first);
    expect(again.code).toBe(0);
    expect(processesOf(home.stateDir)).toEqual([]);
    expect(existsSync(join(home.stateDir, 'state.db'))).toBe(true);
    for (const gone of ['releases', 'revisions', 'desired.json', 'observed.json']) {
      expect([gone, existsSync(join(home.stateDir, gone))]).toEqual([gone, false]);
    }
  });
});
