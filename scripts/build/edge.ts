import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';

/** What a bundle in `dist/edge/` needs around it, taken from `wrangler.toml`, so that nobody states it twice. */
export interface EdgeManifest {
  /** File names in the same folder, in the file that is written. */
  entry: string;
  textModules: string[];
  compatibilityDate: string;
  compatibilityFlags: string[];
  /** Binding → class. */
  durableObjects: Record<string, string>;
}

const EDGE_MANIFEST = join('edge', 'manifest.json');

/** The Worker that was built into `dist`, its files by their full paths. */
export function builtEdge(dist: string): EdgeManifest {
  const folder = join(dist, 'edge');
  const manifest = JSON.parse(readFileSync(join(dist, EDGE_MANIFEST), 'utf8')) as EdgeManifest;
  return {
    ...manifest,
    entry: join(folder, manifest.entry),
    textModules: manifest.textModules.map((name) => join(folder, name)),
  };
}

/** Bundling on a slow machine, in ms. */
const BUNDLE_MS_MAX = 180_000;

/** Bundles the Worker exactly as a deployment would (`wrangler deploy --dry-run`), without asking any server. */
export async function buildEdge(root: string, dist: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const folder = join(dist, 'edge');
  rmSync(folder, { recursive: true, force: true });
  const wrangler = join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');
  const bundling = [wrangler, 'deploy', '--dry-run', '--outdir', folder];
  await ask(root, bundling, 'The Worker could not be bundled', 'Correct the sources, or restore them with git.');
  writeFileSync(join(dist, EDGE_MANIFEST), `${JSON.stringify(await manifest(root, folder), null, 2)}\n`);
}

/** What `wrangler.toml` binds by name: everything else at a deployed Worker was put there by somebody. */
export async function boundNames(root: string): Promise<Set<string>> {
  const config = await wranglerConfig(root);
  return new Set([
    ...config.durable_objects.bindings.map(({ name }) => name),
    ...config.r2_buckets.map(({ binding }) => binding),
    ...Object.keys(config.vars),
  ]);
}

async function manifest(root: string, folder: string): Promise<EdgeManifest> {
  const config = await wranglerConfig(root);
  if (!config.compatibility_date) throw new Error('wrangler.toml names no compatibility_date');
  return {
    entry: 'worker.js',
    textModules: readdirSync(folder).filter((name) => name.endsWith('.sql')),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    durableObjects: Object.fromEntries(
      config.durable_objects.bindings.map(({ name, class_name }) => [name, class_name]),
    ),
  };
}

/** What is used of it. */
interface WranglerConfig {
  compatibility_date?: string;
  compatibility_flags: string[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  r2_buckets: { binding: string }[];
  vars: Record<string, unknown>;
}

/** What wrangler reads in `wrangler.toml`. */
async function wranglerConfig(root: string): Promise<WranglerConfig> {
  const program = join(import.meta.dirname, 'wrangler-config.mjs');
  const reading = [program, join(root, 'wrangler.toml')];
  const read = await ask(root, reading, 'wrangler.toml could not be read', 'Correct it, or restore it with git.');
  return JSON.parse(read) as WranglerConfig;
}

/** Runs a program of wrangler's and gives what it printed. */
async function ask(root: string, args: string[], failure: string, next: string): Promise<string> {
  const options = { cwd: root, timeoutMs: BUNDLE_MS_MAX, env: quietly(root) };
  const { code, stdout, stderr } = await run(process.execPath, args, options);
  const said = stdout.toString();
  if (code === 0) return said;
  throw new LocalError('build_failed', `${failure}:\n${said}${stderr.toString()}`, next);
}

/** wrangler's own files inside the clone; it asks nobody anything and sends nothing. */
function quietly(root: string): NodeJS.ProcessEnv {
  const home = join(root, '.herdr-mcp', 'wrangler');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return {
    ...process.env,
    XDG_CONFIG_HOME: home,
    WRANGLER_LOG_PATH: join(home, 'logs'),
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true', // with it goes the question whether a newer one exists
    NO_COLOR: '1',
    CI: '1',
  };
}
