import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundlePrograms } from '../../scripts/build/node.ts';
import { program } from '../support/program.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hm-builtins-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Node's second HTTP client, which an ES import of `node:http` loads. */
const UNDICI = 'NativeModule internal/deps/undici/undici';

/** Runs a program until it ends, or has said `until`: what it said, and the modules of Node that it had loaded then. */
async function loadedBy(
  file: string,
  args: string[] = [],
  until?: string,
): Promise<{ said: string; loaded: string[] }> {
  const probe = join(root, 'probe.cjs');
  const list = 'require("fs").writeSync(2, JSON.stringify(process.moduleLoadList))';
  const tell =
    until === undefined
      ? `process.once('exit', () => ${list});`
      : `const write = process.stdout.write; process.stdout.write = function (...given) {
           if (String(given[0]).includes(${JSON.stringify(until)})) { ${list}; setImmediate(() => process.kill(process.pid, 'SIGTERM')); }
           return write.apply(this, given);
         };`;
  writeFileSync(probe, tell);
  const child = spawn(process.execPath, ['--no-warnings', '--require', probe, file, ...args]);
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { said, loaded: JSON.parse(errors) as string[] };
}

async function bundled(source: string): Promise<string> {
  const from = join(root, 'source.ts');
  writeFileSync(from, source);
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  await bundlePrograms(root, root, { out: from });
  return join(root, 'out.js');
}

describe("Node's own modules in a bundle", () => {
  it('come under every way of importing them, without what only a use would load', async () => {
    const file = await bundled(`
      import fs, { existsSync as there } from 'node:fs';
      import * as path from 'node:path';
      import { createServer, STATUS_CODES } from 'node:http';
      import 'node:net';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { createRequire } from 'module';
      const later = await import('node:os');
      const required = require('node:url');
      await sleep(1);
      console.log(JSON.stringify([
        there(__filename), fs.existsSync(__dirname), path.basename(__filename), typeof createServer, STATUS_CODES[404],
        typeof later.tmpdir, typeof required.pathToFileURL, typeof createRequire,
      ]));
    `);
    const { said, loaded } = await loadedBy(file);
    expect(JSON.parse(said)).toEqual([
      ...[true, true, 'out.js', 'function', 'Not Found'],
      ...['function', 'function', 'function'],
    ]);
    expect(loaded).toContain('NativeModule http');
    expect(loaded).not.toContain(UNDICI);
  });

  it('are all there when somebody takes a module as a whole', async () => {
    const file = await bundled(`
      import * as all from 'node:path';
      const names = Object.keys(all);
      console.log(names.includes('join') && all[names[names.indexOf('join')]]('a', 'b'));
    `);
    expect((await loadedBy(file)).said).toBe('a/b\n');
  });

  it('fail the build when a name is none of theirs', async () => {
    await expect(bundled("import { nonsense } from 'node:fs'; console.log(nonsense);")).rejects.toThrow(/nonsense/);
  });
});

it('the runtime is ready before the second HTTP client is loaded', async () => {
  const state = ['--port', '0', '--generation', 'a', '--state-dir', join(root, 'state')];
  const args = [...state, '--herdr-socket', join(root, 'none')];
  const { said, loaded } = await loadedBy(await program('runtime'), args, '"ready":true');
  expect(said).toMatch(/^\{"ready":true/);
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain(UNDICI);
});
