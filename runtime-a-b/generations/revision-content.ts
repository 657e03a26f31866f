/** The bytes of a revision: which files belong to it, what they are together, and copying them so that they last. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';

export interface Content {
  folder: string;
  /** Relative paths, sorted. */
  files: string[];
  /** Native modules: name, version, real folder. */
  native: { name: string; version: string; folder: string }[];
  /** Hex. */
  digest: string;
}

/** Not part of it: caches, source maps, the Worker (another release plane), what we write ourselves. */
const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('.map') || ['edge', 'node_modules', 'revision.json'].includes(name);

/** Reads what a folder of built programs holds. Throws a `LocalError` when it holds none. */
export function contentOf(folder: string): Content {
  for (const needed of ['runtime.js', 'herdr-link.js', 'embedded-herdr.js', 'native.json']) {
    if (!existsSync(join(folder, needed))) throw noPrograms(folder, needed);
  }
  const files = filesIn(folder).sort();
  const names = JSON.parse(readFileSync(join(folder, 'native.json'), 'utf8')) as string[];
  const native = names.map((name) => nativeModule(folder, name));
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  for (const { name, version } of native) hash.update(`${name}@${version}\0`);
  return { folder, files, native, digest: hash.digest('hex') };
}

/** Copies the files read-only, each synced, and links the native modules. */
export function copyContent({ folder, files, native }: Content, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const file of files) {
    const target = join(to, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, readFileSync(join(folder, file)), { flag: 'wx' });
    chmodSync(target, (statSync(join(folder, file)).mode & 0o100) === 0 ? 0o400 : 0o500);
    syncPath(target);
  }
  for (const { name, folder: real } of native) {
    const link = join(to, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    symlinkSync(real, link);
  }
  syncFolder(to);
}

/** Makes a rename inside a folder last. */
export const syncFolder = (folder: string): void => syncPath(folder);

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    if (below === '' && isLeftOut(entry.name)) return [];
    if (entry.name.endsWith('.map')) return [];
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

/** As Node would find it from there: the nearest `node_modules` above that has it. */
function nativeModule(from: string, name: string): Content['native'][number] {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) {
      const { version } = JSON.parse(readFileSync(join(candidate, 'package.json'), 'utf8')) as { version: string };
      return { name, version, folder: realpathSync(candidate) };
    }
    if (folder === dirname(folder)) break;
  }
  throw new LocalError(
    'native_module_missing',
    `The module ${name}, which ${from} needs, is not installed beside it.`,
    'Install herdr-mcp again (npm install in a clone); nothing was staged.',
  );
}

const noPrograms = (folder: string, needed: string) =>
  new LocalError(
    'no_programs',
    `${folder} holds no built programs (${needed} is missing); nothing was staged.`,
    'Name the dist folder of a build: herdr-mcp runtime stage <folder>',
  );
