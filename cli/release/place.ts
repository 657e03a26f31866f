/**
 * Releases on this machine: immutable folders `releases/<id>`, and `releases/current`, the link that services start from.
 * A folder appears whole with one rename; what a killed command left is cleared by the next one.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir, readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import type { ReleaseContent } from './content.ts';

/** `release.json` in a release's folder. */
export const Release = Type.Object({
  schema: Type.Literal(1),
  id: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,80}$' }),
  version: Type.String(),
  /** The revision of the A/B machinery that its programs are. */
  revision: Type.Optional(Type.String()),
  placed_at_ms: Type.Integer(),
});
export type Release = Static<typeof Release>;

const releasesOf = (stateDir: string): string => join(stateDir, 'releases');

export const releaseFolder = (stateDir: string, id: string): string => join(releasesOf(stateDir), id);

/** The link from which services and the command in `~/.local/bin` start. */
export const currentLink = (stateDir: string): string => join(releasesOf(stateDir), 'current');

/** Copies a release beside the others; one that is there already is left as it is. */
export async function placeRelease(stateDir: string, content: ReleaseContent, nowMs: number): Promise<Release> {
  const folder = ensurePrivateDir(releasesOf(ensurePrivateDir(stateDir)));
  clearHalfMade(folder);
  const known = await readRelease(stateDir, content.id);
  if (known) return known;
  rmSync(join(folder, content.id), { recursive: true, force: true }); // what a damaged one has left
  const making = join(folder, `.making-${process.pid}`);
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  try {
    for (const file of content.files) {
      mkdirSync(dirname(join(making, file)), { recursive: true, mode: 0o700 });
      cpSync(join(content.root, file), join(making, file), { preserveTimestamps: true });
    }
    for (const { from, to } of content.modules) {
      mkdirSync(dirname(join(making, to)), { recursive: true, mode: 0o700 });
      cpSync(from, join(making, to), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => isNeeded(from, path),
      });
    }
    const release: Release = { schema: 1, id: content.id, version: content.version, placed_at_ms: nowMs };
    await writeAtomic(join(making, 'release.json'), `${JSON.stringify(release)}\n`);
    await rename(making, join(folder, content.id));
    return release;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Sources from which a module would be compiled anew are three quarters of its bytes and never run. */
function isNeeded(module: string, path: string): boolean {
  const [top = ''] = path.slice(module.length + 1).split('/');
  return !(['deps', 'src'].includes(top) && existsSync(join(module, 'binding.gyp')));
}

/** Notes which revision a release's programs are. */
export async function noteRevision(stateDir: string, release: Release, revision: string): Promise<Release> {
  if (release.revision === revision) return release;
  const noted = { ...release, revision };
  await writeAtomic(join(releaseFolder(stateDir, release.id), 'release.json'), `${JSON.stringify(noted)}\n`);
  return noted;
}

/** A release by its id, `undefined` when it is not there whole. */
async function readRelease(stateDir: string, id: string): Promise<Release | undefined> {
  const bytes = await readPrivateFile(join(releaseFolder(stateDir, id), 'release.json'));
  if (!bytes) return undefined;
  const value = parse(bytes.toString('utf8'));
  return Value.Check(Release, value) ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // damaged: as good as not there
  }
}

/** All releases, the newest first. */
export async function listReleases(stateDir: string): Promise<Release[]> {
  const folder = releasesOf(stateDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== 'current');
  const read = await Promise.all(names.map((name) => readRelease(stateDir, name)));
  return read.filter((one) => one !== undefined).sort((one, other) => other.placed_at_ms - one.placed_at_ms);
}

/** Which release services start from, `undefined` while nothing is installed. */
export async function currentRelease(stateDir: string): Promise<Release | undefined> {
  const link = currentLink(stateDir);
  const stats = lstatSync(link, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (!stats.isSymbolicLink()) {
    throw new LocalError(
      'current_no_link',
      `${link} is no link, so it is not known which release is installed.`,
      'Move it away and run herdr-mcp install again; nothing was changed.',
    );
  }
  return readRelease(stateDir, basename(readlinkSync(link)));
}

/** Moves `current` with one rename. */
export async function makeCurrent(stateDir: string, id: string): Promise<void> {
  const link = currentLink(stateDir);
  const fresh = join(releasesOf(stateDir), `.current-${process.pid}`);
  rmSync(fresh, { force: true });
  symlinkSync(id, fresh);
  await rename(fresh, link);
}

/** Deletes every release whose id is not kept. */
export async function removeReleasesExcept(stateDir: string, kept: ReadonlySet<string>): Promise<void> {
  for (const { id } of await listReleases(stateDir)) {
    if (kept.has(id)) continue;
    const gone = join(releasesOf(stateDir), `.making-${process.pid}`);
    rmSync(gone, { recursive: true, force: true });
    await rename(releaseFolder(stateDir, id), gone); // out of sight at once, whole or not at all
    rmSync(gone, { recursive: true, force: true });
  }
}

/** What killed commands left. There is one command at a time: whoever calls this holds the install lock. */
function clearHalfMade(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.making-') || name.startsWith('.current-')) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}
