/**
 * The file boundary of the workstation: which directories may be touched, and every check before one is.
 *
 * A root is a Git checkout or a plain directory that Herdr shows open right now. Nothing else is reachable, HOME and its
 * ancestors never are. Everything here refuses by throwing an `OutcomeError` that says what to do next.
 */
import { type OutcomeCode, OutcomeError } from '../../contract/outcome.ts';
import { guardHome } from './home.ts';
import { PLACE_TTL_MS, PLACES_MAX } from './limits.ts';
import { findPlace, type Place } from './place.ts';
import { herdrUnknown, notExactRoot, outsideRoots } from './refuse.ts';
import { type Resolved, type ResolvedNew, resolveExisting, resolveNew } from './resolve.ts';
import type { LeafKind } from './secrets.ts';
import { isWithin, normalAbsolute } from './segments.ts';
import { buildTable, type LiveView, liveDirectories, type Root, type RootTable, rootOfSpelling } from './table.ts';

export { type Admission, admit, writeGateAt } from './admit.ts';
export { type DirtyState, dirtyGate, readDirty } from './dirty.ts';
export {
  type BusyFacts,
  busyFacts,
  busyGate,
  mutationGate,
  type WorkingAgent,
  type WritePolicy,
  writeGate,
} from './gates.ts';
export { runGit } from './git.ts';
export { folderPath, inFolder, type OpenFile, openFolderInside, openInside } from './open.ts';
export { outsideRoots, secretPath } from './refuse.ts';
export { type Resolved, type ResolvedNew, refuseGitInternal } from './resolve.ts';
export { isSecretPath } from './secrets.ts';
export { below, isWithin, normalAbsolute } from './segments.ts';
export { type LiveView, liveDirectories, type Root, type RootTable } from './table.ts';

export interface RootsOptions {
  /** The person's home directory; while it is unknown nothing is a root. */
  homeDir: string | undefined;
  /** Folders that nothing here leads into, by every spelling. */
  protectedFolders: readonly string[];
  /** The clock, in ms. */
  nowMs(): number;
}

export interface Roots {
  /** The roots of a picture. Directories seen a moment ago are not looked at again. Never rejects. */
  table(view: LiveView): Promise<RootTable>;
  /** See {@link resolveExisting}. Looks once more before it refuses, because a root may have appeared just now. */
  existing(view: LiveView, path: string, leaf?: LeafKind): Promise<Resolved>;
  /** See {@link resolveNew}. */
  fresh(
    view: LiveView,
    path: string,
    options?: { makeParents?: boolean },
  ): Promise<(ResolvedNew & { exists: false }) | (Resolved & { exists: true })>;
  /** Whether a canonical path lies in a protected folder: what walks a tree by itself leaves it out. */
  isProtected(path: string): boolean;
  /** The root that a caller names exactly, by any of its spellings. Throws `outside_managed_roots`, `root_not_project_root`. */
  exact(view: LiveView, path: string): Promise<Root>;
}

/** Refusals that a directory opened a moment ago would lift. */
const MAY_HAVE_CHANGED: ReadonlySet<OutcomeCode> = new Set(['outside_managed_roots', 'root_not_project_root']);

/** One per runtime: it remembers which root each live directory belongs to. */
export function createRoots(options: RootsOptions): Roots {
  const { nowMs, protectedFolders } = options;
  const rules = { home: guardHome(options.homeDir), protectedFolders };
  const places = new Map<string, { place: Place; atMs: number }>();
  let last: { view: LiveView; table: RootTable; atMs: number } | undefined;

  async function placesFor(view: LiveView, maxAgeMs: number): Promise<void> {
    const now = nowMs();
    const wanted = [...liveDirectories(view).keys()];
    const old = wanted.filter((cwd) => {
      const known = places.get(cwd);
      return known === undefined || now - known.atMs >= maxAgeMs || now < known.atMs;
    });
    await Promise.all(
      old.map(async (cwd) => {
        places.set(cwd, { place: await findPlace(cwd, rules), atMs: nowMs() });
      }),
    );
    if (places.size <= PLACES_MAX) return;
    const keep = new Set(wanted);
    for (const cwd of places.keys()) if (!keep.has(cwd)) places.delete(cwd);
  }

  async function table(view: LiveView, maxAgeMs = PLACE_TTL_MS): Promise<RootTable> {
    const age = last === undefined ? Number.POSITIVE_INFINITY : nowMs() - last.atMs;
    if (last?.view === view && age >= 0 && age < maxAgeMs) return last.table;
    const atMs = nowMs();
    await placesFor(view, maxAgeMs);
    const built = buildTable(view, (cwd) => places.get(cwd)?.place);
    last = { view, table: built, atMs };
    return built;
  }

  /** Runs a check against what is known, and once more against what is true now before it is refused. */
  async function checked<T>(view: LiveView, check: (table: RootTable) => T): Promise<T> {
    if (view.state === 'unknown') throw herdrUnknown(undefined);
    try {
      return check(await table(view));
    } catch (error) {
      if (!(error instanceof OutcomeError) || !MAY_HAVE_CHANGED.has(error.code)) throw error;
      return check(await table(view, 0));
    }
  }

  return {
    table: (view) => table(view),
    existing: (view, path, leaf = 'file') =>
      checked(view, (known) => resolveExisting(known, path, { leaf, protectedFolders })),
    fresh: (view, path, extra = {}) =>
      checked(view, (known) => resolveNew(known, path, { ...extra, protectedFolders })),
    isProtected: (path) => protectedFolders.some((folder) => isWithin(folder, path)),
    exact: (view, path) => checked(view, (known) => exactRoot(known, path)),
  };
}

function exactRoot(table: RootTable, path: string): Root {
  const asked = normalAbsolute(path);
  if (asked === undefined) throw outsideRoots(path, table);
  const match = rootOfSpelling(table, asked);
  if (match === undefined) throw outsideRoots(asked, table);
  if (match.under !== asked) throw notExactRoot(asked, table);
  return match.root;
}
