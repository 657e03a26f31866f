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

/**
 * Weaknesses of packages used here that were made known by 1 December 2026, as public advisories tell them, and the first
 * version without each. `npm audit` asks for newer ones; what is listed here must not come back with an older version.
 */
const MENDED: readonly [name: string, advisory: string, since: string][] = [
  ['@hono/node-server', 'GHSA-92pp-h63x-v22m', '1.19.13'],
  ['@hono/node-server', 'GHSA-frvp-7c67-39w9', '1.19.15'],
  ['@modelcontextprotocol/sdk', 'GHSA-w2fm-25vw-vh7f', '1.26.0'],
  ['brace-expansion', 'GHSA-3jxr-9vmj-r5cp', '1.1.16'],
  ['drizzle-orm', 'GHSA-gpj5-g38j-94v9', '0.45.2'],
  ['esbuild', 'GHSA-67mh-4wv8-2f99', '0.25.0'],
  ['hono', 'GHSA-gqvv-2mrq-wpjv', '4.13.5'],
  ['hono', 'GHSA-g6gw-c38x-mqfc', '4.13.5'],
  ['hono', 'GHSA-crvj-82cr-hjcx', '4.13.5'],
  ['sharp', 'GHSA-f88m-g3jw-g9cj', '0.35.0'],
  ['ws', 'GHSA-96hv-2xvq-fx4p', '8.20.2'],
];
/** drizzle-kit brings an old esbuild for its own configuration. The weakness is in its development server, which nothing starts. */
const NOT_REACHED = new Set(['esbuild@0.18.20']);

it('no version that is locked has a weakness that was known when it was looked at', () => {
  verifies('dependencies.known');
  const numbers = (version: string) => version.split('.').map(Number.parseFloat);
  const isBefore = (one: string, other: string): boolean => {
    const [left, right] = [numbers(one), numbers(other)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
  };
  expect([isBefore('0.45.1', '0.45.2'), isBefore('8.20.2', '8.20.2'), isBefore('8.9.0', '8.20.2')]).toEqual([
    true,
    false,
    true,
  ]);
  for (const [name] of MENDED)
    expect(
      packages.some((one) => one.name === name),
      name,
    ).toBe(true);
  const weak = packages.filter(
    ({ name, version }) =>
      !NOT_REACHED.has(`${name}@${version}`) && MENDED.some(([of, , since]) => of === name && isBefore(version, since)),
  );
  expect(weak.map(({ name, version }) => `${name}@${version}`)).toEqual([]);
});
