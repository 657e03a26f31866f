/**
 * What a live directory is: part of a Git checkout, a directory of its own, or nothing that may be a root. Found by
 * walking up with `stat`; no Git process runs for routing (reference: runtime 14).
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { systemCode } from '../../local/error/index.ts';
import type { HomeGuard } from './home.ts';
import { PLACE_PROBE_MS, PLACE_PROBE_STEPS } from './limits.ts';
import { below, isWithin, normalAbsolute } from './segments.ts';

export type Place =
  | { kind: 'git' | 'operational'; root: string; bare: boolean; spelling: string }
  /** No root here, with the reason in words. */
  | { kind: 'none'; why: string }
  /** The directory exists no more. */
  | { kind: 'gone' };

export interface PlaceRules {
  home: HomeGuard;
  /** Normal absolute paths of folders that nothing here may touch. */
  protectedFolders: readonly string[];
}

/** Never rejects, and gives up on a directory that stays silent for {@link PLACE_PROBE_MS} of our attention; a folder under protection is not even looked at. */
export async function findPlace(cwd: string, rules: PlaceRules): Promise<Place> {
  const spelling = normalAbsolute(cwd);
  if (spelling === undefined) return { kind: 'none', why: 'is no absolute path' };
  if (rules.protectedFolders.some((folder) => isWithin(folder, spelling))) {
    return { kind: 'none', why: 'lies in a protected folder' };
  }
  let timer: NodeJS.Timeout | undefined;
  let left = PLACE_PROBE_STEPS;
  const limit = new Promise<Place>((resolve) => {
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) resolve({ kind: 'none', why: 'does not answer (a dead mount?)' });
    }, PLACE_PROBE_MS / PLACE_PROBE_STEPS);
  });
  try {
    return await Promise.race([look(spelling, rules), limit]);
  } finally {
    clearInterval(timer);
  }
}

async function look(spelling: string, rules: PlaceRules): Promise<Place> {
  try {
    const real = await realpath(spelling);
    if (rules.protectedFolders.some((folder) => isWithin(folder, real))) {
      return { kind: 'none', why: 'lies in a protected folder' };
    }
    const id = await stat(real);
    if (!id.isDirectory()) return { kind: 'none', why: 'is no directory' };
    for (let at = real; ; at = posix.dirname(at)) {
      if (rules.home.forbids(at, at === real ? id : await stat(at))) break;
      const git = await gitAt(at);
      if (git === 'broken') return { kind: 'none', why: `has a broken .git in ${at}` };
      if (git !== undefined) {
        return { kind: 'git', root: at, bare: git === 'bare', spelling: await spellingOf(at, real, spelling) };
      }
      if (at === '/') break;
    }
    if (rules.home.forbids(spelling, id) || rules.home.forbids(real, id)) {
      return { kind: 'none', why: 'is the home directory or above it, which is never a root' };
    }
    return { kind: 'operational', root: real, bare: false, spelling };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' };
    return { kind: 'none', why: `cannot be looked at (${code ?? 'unknown reason'})` };
  }
}

/** As Git itself looks: a `.git` folder with a HEAD, a `.git` file that leads somewhere, or a bare repository. */
async function gitAt(folder: string): Promise<'checkout' | 'bare' | 'broken' | undefined> {
  const dotGit = await stat(posix.join(folder, '.git')).catch(() => undefined);
  if (dotGit?.isDirectory() && (await exists(posix.join(folder, '.git', 'HEAD')))) return 'checkout';
  if (dotGit?.isFile()) {
    const target = /^gitdir: (.+)$/m.exec(await readFile(posix.join(folder, '.git'), 'utf8'))?.[1];
    if (target === undefined) return 'broken';
    return (await exists(posix.resolve(folder, target, 'HEAD'))) ? 'checkout' : 'broken';
  }
  if (folder.split('/').includes('.git') || !(await exists(posix.join(folder, 'HEAD')))) return undefined;
  const parts = await Promise.all(
    ['objects', 'refs'].map((name) => stat(posix.join(folder, name)).catch(() => undefined)),
  );
  return parts.every((part) => part?.isDirectory()) ? 'bare' : undefined;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** How the person spells the root, when the directory was reached through a symlink and the tail is the same. */
async function spellingOf(root: string, real: string, spelling: string): Promise<string> {
  const tail = below(root, real);
  const head = tail === '' ? spelling : spelling.endsWith(`/${tail}`) ? spelling.slice(0, -tail.length - 1) : root;
  if (head === root) return root;
  const canonical = await realpath(head).catch(() => undefined);
  return canonical === root ? head : root;
}
