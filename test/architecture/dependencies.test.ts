/** What comes from elsewhere: exact versions, known by their digest, under licences that were looked at, and nothing that runs at its installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';

interface Locked {
  version: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
const packages = Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages)
  .filter(([path]) => path !== '')
  .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), ...locked }));

/** Licences of what an installed product loads: permissive, and libvips, which sharp loads as a library of its own. */
const SHIPPED = new Set([
  ...['MIT', 'Apache-2.0', 'ISC', '0BSD', 'LGPL-3.0-or-later'],
  ...['Apache-2.0 AND LGPL-3.0-or-later', 'Apache-2.0 AND LGPL-3.0-or-later AND MIT'],
]);
/** Besides, of what only builds and tests it. */
const FOR_TOOLS = new Set([
  ...['BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'MIT OR Apache-2.0', 'MPL-2.0'],
  'SEE LICENSE IN LICENSE', // @modelcontextprotocol/server-filesystem, the benchmark's peer: MIT, becoming Apache-2.0
]);
/** Windows only and optional: npm writes it down without digest and licence, because nothing was ever fetched. */
const NEVER_FETCHED = new Set(['napi-windows-process-start-time']);
/** Their scripts fetch or check a binary that npm has brought already; the bootstrap leaves them off. */
const MAY_HAVE_SCRIPTS = new Set(['esbuild', 'workerd']);

it('every dependency has one exact version, and the lock file knows its digest', () => {
  verifies('dependencies.known');
  for (const version of Object.values({ ...dependencies, ...devDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
  const fetched = packages.filter(({ name, link }) => link !== true && !NEVER_FETCHED.has(name));
  expect(fetched.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)).toEqual([]);
});

it('nothing that an installed product loads runs a script at its installation, and of the tools only two could', () => {
  verifies('dependencies.known');
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
  expect(scripted.filter(({ dev }) => dev !== true).map(({ name }) => name)).toEqual([]);
  expect(new Set(scripted.map(({ name }) => name))).toEqual(MAY_HAVE_SCRIPTS);
  expect(readFileSync(join(ROOT, 'scripts', 'bootstrap.mjs'), 'utf8')).toContain("'--ignore-scripts'");
});

it('every licence is one that was looked at', () => {
  verifies('dependencies.known');
  const strange = packages.filter(({ name, license = '', dev }) => {
    if (NEVER_FETCHED.has(name) || SHIPPED.has(license)) return false;
    return dev !== true || !FOR_TOOLS.has(license);
  });
  expect(strange.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});
