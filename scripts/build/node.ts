import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle, stop } from 'esbuild';
import { LocalError } from '../../local/error/index.ts';
import { leanBuiltins } from './builtins.ts';
import { launcher } from './launcher.ts';

/** Command in `dist/` → the module that it starts. */
export const PROCESSES = {
  'herdr-mcp': 'cli/main.ts',
  'herdr-link': 'link/main.ts',
  runtime: 'runtime-a-b/main.ts',
  'embedded-herdr': 'embedded-herdr/main.ts',
  'herdr-broker': 'broker/main.ts',
  'herdr-native-host': 'extension/native-host/main.ts',
} as const;

/** They carry binaries, or look for files beside themselves. */
const EXTERNAL = ['better-sqlite3', '@lydell/node-pty', '@napi-rs/keyring', 'sharp', '@vscode/ripgrep'];

/** CommonJS packages inside an ES module still ask for these three. */
const COMMONJS = [
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** Each program and all that it imports in one file: name in the folder, without its extension → source. */
export async function bundlePrograms(root: string, folder: string, programs: Record<string, string>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: Object.entries(programs).map(([out, source]) => ({ in: source, out })),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.14',
    external: EXTERNAL,
    alias: { bufferutil: './link/socket/mask.ts' }, // ws asks for that package and goes without; ours is not native
    banner: { js: COMMONJS },
    plugins: [leanBuiltins()],
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw new LocalError('build_failed', error.message, 'Correct the sources, or restore them with git.', error);
  });
}

/** One bundle and one launcher a process, and the migrations that they read. */
export async function buildNode(root: string, dist: string): Promise<void> {
  const programs = Object.entries(PROCESSES).map(([name, source]) => [`${name}.main`, source]);
  await bundlePrograms(root, dist, Object.fromEntries(programs));
  await stop(); // its process would live as long as ours, and `npm start` lives long
  for (const name of Object.keys(PROCESSES)) {
    const file = join(dist, `${name}.js`);
    writeFileSync(file, launcher(name));
    chmodSync(file, 0o755);
  }
  copy(join(root, 'migrations', 'state'), join(dist, 'migrations', 'state'));
  copy(join(root, 'migrations', 'capability'), join(dist, 'migrations', 'capability'));
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`); // also where no manifest is above
  // Whoever copies these bundles elsewhere must bring what they do not hold.
  writeFileSync(join(dist, 'native.json'), `${JSON.stringify(EXTERNAL)}\n`);
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}
