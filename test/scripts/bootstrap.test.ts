import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { verifies } from '../verifies.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'scripts', 'bootstrap.mjs');
/** Makes Node say that it is an old one, but only to the file of the bootstrap itself. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.13.1',napi:'9'}})`;

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'hm-clone-'));
  mkdirSync(join(clone, 'scripts'));
  copyFileSync(SOURCE, join(clone, 'scripts', 'bootstrap.mjs'));
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  writeFileSync(join(clone, 'package-lock.json'), lock({ a: '1.0.0', only_elsewhere: '1.0.0' }));
  writeFileSync(
    join(clone, 'hello.ts'),
    'const text: string = "hello"; console.log(text, process.version, ...process.argv.slice(2));',
  );
  writeFileSync(join(clone, 'npm.cjs'), FAKE_NPM);
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

function lock(versions: Record<string, string>): string {
  const packages = Object.entries(versions).map(([name, version]) => [
    `node_modules/${name}`,
    name === 'only_elsewhere' ? { version, optional: true, os: ['plan9'] } : { version },
  ]);
  return JSON.stringify({ packages: { '': {}, ...Object.fromEntries(packages) } });
}

/** Writes down how it was called, and does what npm would: node_modules as the lock says, or a Node of its own. */
const FAKE_NPM = `
const { appendFileSync, mkdirSync, writeFileSync, readFileSync, chmodSync } = require('fs');
const root = __dirname;
appendFileSync(root + '/calls', JSON.stringify(process.argv.slice(2)) + '\\n');
if (process.env.NPM_FAILS) { console.error('npm error network'); process.exit(1); }
if (process.argv[2] === 'ci') {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const { packages } = JSON.parse(readFileSync(root + '/package-lock.json', 'utf8'));
  delete packages['node_modules/only_elsewhere'];
  mkdirSync(root + '/node_modules', { recursive: true });
  writeFileSync(root + '/node_modules/.package-lock.json', JSON.stringify({ packages }));
} else {
  const name = process.argv.at(-1) && process.argv.find((word) => word.startsWith('node-')).split('@')[0];
  const bin = process.cwd() + '/node_modules/' + name + '/bin';
  mkdirSync(bin, { recursive: true });
  writeFileSync(bin + '/node', '#!/bin/sh\\nunset NODE_OPTIONS\\nexec "' + process.execPath + '" "$@"\\n');
  chmodSync(bin + '/node', 0o755);
}
`;

function bootstrap(args: string[], env: Record<string, string> = {}, path = process.env['PATH']) {
  return run(process.execPath, ['scripts/bootstrap.mjs', ...args], {
    cwd: clone,
    env: { PATH: path, HOME: clone, npm_execpath: join(clone, 'npm.cjs'), ...env },
  }).then((result) => ({ code: result.code, out: result.stdout.toString(), err: result.stderr.toString() }));
}

const calls = () =>
  existsSync(join(clone, 'calls'))
    ? readFileSync(join(clone, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[])
    : [];

describe('a fresh clone', () => {
  it('gets its dependencies once, without install scripts, and says so; the next run goes straight on', async () => {
    verifies('main.start');
    const first = await bootstrap(['hello.ts', 'a', '--b']);
    expect(first).toMatchObject({ code: 0, out: `hello ${process.version} a --b\n` });
    expect(first.err).toContain('Installing dependencies');
    const second = await bootstrap(['hello.ts']);
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(calls()).toEqual([['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']]);
  });

  it('gets them again when the lock file asks for another version', async () => {
    await bootstrap(['hello.ts']);
    writeFileSync(join(clone, 'package-lock.json'), lock({ a: '1.0.1' }));
    await bootstrap(['hello.ts']);
    expect(calls()).toHaveLength(2);
  });

  it('set up by two commands at once is set up once', async () => {
    const both = await Promise.all([bootstrap(['hello.ts']), bootstrap(['hello.ts'])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(calls()).toHaveLength(1);
  });

  it('whose set-up was killed is set up by the next command', async () => {
    mkdirSync(join(clone, '.herdr-mcp'));
    writeFileSync(join(clone, '.herdr-mcp', 'setup.lock'), '999999999');
    expect(await bootstrap(['hello.ts'])).toMatchObject({ code: 0 });
    writeFileSync(join(clone, 'package-lock.json'), lock({ a: '2.0.0' }));
    writeFileSync(join(clone, '.herdr-mcp', 'setup.lock'), '');
    expect(await bootstrap(['hello.ts'])).toMatchObject({ code: 0 });
    expect(existsSync(join(clone, '.herdr-mcp', 'setup.lock'))).toBe(false);
  });

  it('says so in one sentence when npm fails, and starts nothing', async () => {
    const { code, out, err } = await bootstrap(['hello.ts'], { NPM_FAILS: '1' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('npm ci failed (see above)');
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe('an old Node', () => {
  it('brings a newer one into .herdr-mcp and goes on under it, the second time without npm', async () => {
    verifies('main.start');
    const env = { NODE_OPTIONS: `--import=${OLD_NODE}` };
    const first = await bootstrap(['hello.ts', 'x'], env);
    expect(first.err).toMatch(/Node 22\.13\.1 is too old; installing Node 24\.\d+\.\d+ into \.herdr-mcp\/node/);
    expect(first).toMatchObject({ code: 0, out: `hello ${process.version} x\n` });
    expect(calls().map(([command]) => command)).toEqual(['install', 'ci']);
    expect(existsSync(join(clone, '.herdr-mcp', 'node', 'bin', 'node'))).toBe(true);
    expect(await bootstrap(['hello.ts'], env)).toMatchObject({ code: 0, err: '' });
    expect(calls()).toHaveLength(2);
  });

  it('hands the exit code of the script up', async () => {
    writeFileSync(join(clone, 'fails.ts'), 'process.exitCode = 7;');
    expect(await bootstrap(['fails.ts'], { NODE_OPTIONS: `--import=${OLD_NODE}` })).toMatchObject({ code: 7 });
  });
});

describe('a machine', () => {
  it('without Git is told so, and nothing is started or installed', async () => {
    verifies('main.start-refusals');
    const empty = join(clone, 'empty');
    mkdirSync(empty);
    symlinkSync(process.execPath, join(empty, 'node'));
    const { code, out, err } = await bootstrap(['hello.ts'], {}, empty);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe('Git was not found on the PATH. Install git and run this again; nothing was started.\n');
    expect(calls()).toEqual([]);
  });
});

describe('the file itself', () => {
  it('uses no syntax and no module names that Node 12.20 cannot read', () => {
    const text = readFileSync(SOURCE, 'utf8');
    const as = (target: string) => transformSync(text, { target, format: 'esm', legalComments: 'none' }).code;
    expect(as('node12.20')).toBe(as('esnext'));
    expect(as('node12.20')).toContain('child_process');
  });
});
