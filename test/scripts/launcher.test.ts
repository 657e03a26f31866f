import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { launcher } from '../../scripts/build/launcher.ts';

const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.13.1',napi:'9'}})`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hm-launch-'));
  mkdirSync(join(root, 'dist'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'dist', 'x.js'), launcher('x'));
  writeFileSync(
    join(root, 'dist', 'x.main.js'),
    'console.log("ran", process.argv.slice(2).join(" ")); process.exitCode = 5;',
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const launch = (env: Record<string, string>) =>
  run(process.execPath, [join(root, 'dist', 'x.js'), 'a', 'b'], { env: { PATH: process.env['PATH'], ...env } });

describe('a launcher', () => {
  it('runs its bundle with the same arguments and exit code', async () => {
    const result = await launch({});
    expect(result.stdout.toString()).toBe('ran a b\n');
    expect(result.code).toBe(5);
  });

  it('under an old Node imports nothing and says one sentence', async () => {
    const result = await launch({ NODE_OPTIONS: `--import=${OLD_NODE}` });
    expect(result.code).toBe(1);
    expect(result.stdout.toString()).toBe('');
    expect(result.stderr.toString()).toMatch(/^herdr-mcp needs Node 22\.14, 23\.6 or later; this is 22\.13\.1\..*\n$/);
  });

  it('under an old Node hands over to the one that the clone has brought', async () => {
    mkdirSync(join(root, '.herdr-mcp', 'node', 'bin'), { recursive: true });
    const own = join(root, '.herdr-mcp', 'node', 'bin', 'node');
    writeFileSync(own, `#!/bin/sh\nunset NODE_OPTIONS\nexec "${process.execPath}" "$@"\n`);
    chmodSync(own, 0o755);
    const result = await launch({ NODE_OPTIONS: `--import=${OLD_NODE}` });
    expect(result.stdout.toString()).toBe('ran a b\n');
    expect(result.code).toBe(5);
  });
});
