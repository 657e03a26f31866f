/**
 * What a release is made of: the package that this program belongs to, and the native modules that its bundles need, with
 * everything that those need. Reading only.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { LocalError } from '../../local/error/index.ts';

export interface NativeModule {
  name: string;
  version: string;
  /** Its real folder. */
  from: string;
  /** Below the release: `node_modules/<name>`, or deeper for a second version of a name. */
  to: string;
}

export interface ReleaseContent {
  /** Root of the package. */
  root: string;
  version: string;
  /** Files of the package, relative, sorted. */
  files: string[];
  modules: NativeModule[];
  /** `<version>-<12 hex>`: the same bytes are the same release. */
  id: string;
}

interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The root of the package in which a module stands: the nearest folder above with `package.json` and `dist`. */
export function packageRoot(modulePath: string): string {
  for (let folder = dirname(realpathSync(modulePath)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'dist', 'native.json'))) return folder;
  }
  throw notAPackage(modulePath);
}

/** Reads a package that was unpacked and installed. Throws a {@link LocalError} when something is missing. */
export function releaseContent(root: string): ReleaseContent {
  const manifest = manifestIn(root);
  const nativeFile = join(root, 'dist', 'native.json');
  if (manifest?.name !== 'herdr-mcp' || !manifest.version || !existsSync(nativeFile)) throw notAPackage(root);
  const names = JSON.parse(readFileSync(nativeFile, 'utf8')) as string[];
  const modules = closure(root, names);
  const files = ['package.json', ...filesIn(join(root, 'dist')).map((file) => join('dist', file))].sort();
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  for (const { name, version, to } of modules) hash.update(`${to}\0${name}@${version}\0`);
  return {
    root,
    version: manifest.version,
    files,
    modules,
    id: `${manifest.version}-${hash.digest('hex').slice(0, 12)}`,
  };
}

/** Programs and what they read; neither caches nor source maps, nor the Worker, which is another release plane. */
function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (below === '' && (entry.name.startsWith('.') || entry.name === 'edge')) return [];
    if (entry.isDirectory()) return filesIn(folder, path);
    return entry.isFile() && !entry.name.endsWith('.map') ? [path] : [];
  });
}

/** The modules and all that they depend on, where Node finds them; what another platform needs is not there, and missed. */
function closure(root: string, names: readonly string[]): NativeModule[] {
  const placed = new Map<string, NativeModule>();
  const visit = (name: string, seeker: string, holder: string, isOptional: boolean): void => {
    const from = found(name, seeker);
    if (from === undefined) {
      if (isOptional) return;
      throw new LocalError(
        'native_module_missing',
        `The module ${name} is not installed beside ${root}.`,
        'Install the package again (npm install); nothing was changed.',
      );
    }
    const top = join('node_modules', name);
    const taken = placed.get(top);
    if (taken?.from === from) return;
    if (from.startsWith(`${realpathSync(seeker)}${sep}`) && seeker !== root) return; // inside its own folder: comes with it
    const to = taken ? join(holder, 'node_modules', name) : top;
    const manifest = manifestIn(from);
    placed.set(to, { name, version: manifest?.version ?? '', from, to });
    for (const inner of Object.keys(manifest?.dependencies ?? {})) visit(inner, from, to, false);
    for (const inner of Object.keys(manifest?.optionalDependencies ?? {})) visit(inner, from, to, true);
  };
  for (const name of names) visit(name, root, '', false);
  return [...placed.values()].sort((one, other) => (one.to < other.to ? -1 : 1));
}

/** As Node looks for it: the nearest `node_modules` above. */
function found(name: string, from: string): string | undefined {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : undefined;
}

const notAPackage = (where: string) =>
  new LocalError(
    'not_a_release',
    `${relative(process.cwd(), where) || where} is no built and installed package of herdr-mcp.`,
    'Make one in a clone: npm pack, then npm install the file (docs/operate.md). Nothing was changed.',
  );
