/** Releases to rehearse with: the clone as `npm pack` makes it, and copies of it that differ in one thing. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';

/** Packing bundles first when something has changed. */
const PACK_MS_MAX = 180_000;

/** What a release does that a good one does not. */
export type Flaw = 'none' | 'does not start' | 'dies when calls go to it';

/** Packs the clone and unpacks the file in `folder`, which lies in the clone, so that its native modules are found. */
export async function packed(clone: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const done = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: clone,
    timeoutMs: PACK_MS_MAX,
  });
  if (done.code !== 0) {
    throw new LocalError(
      'pack_failed',
      `npm pack failed: ${done.stderr.toString('utf8').trim()}`,
      'See what it names.',
    );
  }
  const [{ filename }] = JSON.parse(done.stdout.toString('utf8')) as [{ filename: string }];
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
  renameSync(join(folder, 'package'), join(folder, 'release'));
  return join(folder, 'release');
}

/** A copy with another version, and a flaw in its runtime. */
export function variant(from: string, to: string, version: string, flaw: Flaw): string {
  cpSync(from, to, { recursive: true });
  const manifestFile = join(to, 'package.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { version: string };
  const before = manifest.version;
  writeFileSync(manifestFile, JSON.stringify({ ...manifest, version }, null, 2));
  for (const bundle of ['runtime', 'herdr-mcp', 'herdr-link', 'embedded-herdr']) {
    const file = join(to, 'dist', `${bundle}.main.js`);
    // The version is bundled from package.json as one property; the first of that shape is it.
    writeFileSync(file, readFileSync(file, 'utf8').replace(`version: "${before}"`, `version: "${version}"`));
  }
  const runtime = join(to, 'dist', 'runtime.js');
  writeFileSync(runtime, `${readFileSync(runtime, 'utf8')}\n${FLAWS[flaw]}`);
  return to;
}

const FLAWS: Record<Flaw, string> = {
  none: '',
  'does not start': `if (process.argv.includes('--generation')) { console.error('this release does not start'); process.exit(7); }\n`,
  'dies when calls go to it': `
if (process.argv.includes('--generation')) {
  const { readFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const after = (name) => process.argv[process.argv.indexOf(name) + 1];
  setInterval(() => {
    const pointer = JSON.parse(readFileSync(join(after('--state-dir'), 'runtime-active.json'), 'utf8'));
    if (pointer.generation === after('--generation')) { console.error('this release dies when calls go to it'); process.exit(9); }
  }, 20);
}
`,
};
