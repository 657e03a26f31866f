/**
 * Revisions: immutable folders of built programs under `<state>/revisions/`, named by their content, so that the same
 * build is the same revision and a changed one never is. A folder is copied under another name, checked against what was
 * read, and appears whole with one rename; a half-made one is nobody's and is cleared by the next staging.
 *
 * A folder holds `runtime.js`, `herdr-link.js`, `embedded-herdr.js`, `herdr-mcp.js` with their bundles, `migrations/`,
 * `skills/`, the file `revision.json`, and `node_modules` with links to the native modules of the installation that it
 * came from: those carry binaries per platform and belong to that installation; their versions are part of the name.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { LocalError, systemCode } from '../../local/error/index.ts';
import { ensurePrivateDir, writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { run } from '../../local/spawn/index.ts';
import { RevisionId } from './desired.ts';
import { contentOf, copyContent, syncFolder } from './revision-content.ts';
import { readStateFile } from './state-file.ts';

const Name = Type.String({ maxLength: 128 });

/** What a program says about itself (`runtime.js --describe`). */
export const Description = Type.Object({
  version: Name,
  contract_epoch: Type.Integer(),
  contract_hash: Type.String({ maxLength: 80 }),
  state: Type.Object({
    /** How many migrations of `state.db` it knows. */
    knows: Type.Integer({ minimum: 0 }),
    /** With how many known migrations a program still understands what it writes. */
    oldest_reader: Type.Integer({ minimum: 0 }),
  }),
});
export type Description = Static<typeof Description>;

/** `revision.json`: what it said when it was staged, and where it came from. */
export const Revision = Type.Object({
  schema: Type.Literal(1),
  revision: RevisionId,
  ...Description.properties,
  /** sha256 over names and bytes, and the native modules' versions. */
  content: Type.String({ maxLength: 80 }),
  /** The folder that was copied. */
  source: Type.String({ maxLength: 4096 }),
  staged_at_ms: Type.Integer(),
});
export type Revision = Static<typeof Revision>;

/** How long a program may take to say what it is, in ms: it loads its native modules and opens nothing. */
const DESCRIBE_MS = 30_000;

/** The folder of a revision. */
export const revisionFolder = (stateDir: string, revision: string): string =>
  join(statePaths(stateDir).revisions, revision);

/**
 * Copies a folder of built programs as a revision and resolves with what it is; the same content again is the same
 * revision and copies nothing. Throws a `LocalError` when the folder holds no programs, its runtime does not run, or it
 * changes while it is copied; nothing is left then.
 */
export async function stageRevision(stateDir: string, source: string, step: Step = noStep): Promise<Revision> {
  const folder = ensurePrivateDir(statePaths(ensurePrivateDir(stateDir)).revisions);
  const content = contentOf(source);
  const description = await describeProgram(source);
  const revision = `${description.version}-${content.digest.slice(0, 12)}`;
  const known = await readRevision(stateDir, revision).catch(broken);
  if (known && isIntact(stateDir, known)) return known;
  await deleteRevision(stateDir, revision); // one that was damaged since is made anew
  await step('copy');
  clearHalfMade(folder);
  const making = join(folder, `.making-${process.pid}-${revision}`);
  try {
    copyContent(content, making);
    if (contentOf(making).digest !== content.digest) throw changedMeanwhile(source);
    const facts: Revision = {
      schema: 1,
      revision,
      ...description,
      content: `sha256:${content.digest}`,
      source,
      staged_at_ms: Date.now(),
    };
    await writeAtomic(join(making, 'revision.json'), `${JSON.stringify(facts, null, 2)}\n`);
    await step('copied');
    await rename(making, join(folder, revision));
    syncFolder(folder);
    return facts;
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    const other = await readRevision(stateDir, revision); // another command was as fast
    if (other) return other;
    throw systemCode(error) === 'ENOENT' ? changedMeanwhile(source) : error;
  }
}

/** What a revision is, or `undefined` when it is not there. */
export async function readRevision(stateDir: string, revision: string): Promise<Revision | undefined> {
  return readStateFile(join(revisionFolder(stateDir, revision), 'revision.json'), Revision);
}

/** Every revision of this workstation that says what it is, the newest first. */
export async function listRevisions(stateDir: string): Promise<Revision[]> {
  const folder = statePaths(stateDir).revisions;
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => Value.Check(RevisionId, name)) : [];
  const read = await Promise.all(
    names.filter((name) => !name.startsWith('.')).map((name) => readRevision(stateDir, name).catch(broken)),
  );
  return read.filter((one) => one !== undefined).sort((one, other) => other.staged_at_ms - one.staged_at_ms);
}

/** Deletes a revision's folder: out of sight with one rename, then for good. Nothing happens when it is not there. */
export async function deleteRevision(stateDir: string, revision: string, step: Step = noStep): Promise<void> {
  const folder = statePaths(stateDir).revisions;
  if (!existsSync(join(folder, revision))) {
    clearHalfMade(folder);
    return;
  }
  const gone = join(folder, `.making-${process.pid}-${revision}`);
  rmSync(gone, { recursive: true, force: true });
  await rename(join(folder, revision), gone);
  await step('hidden');
  rmSync(gone, { recursive: true, force: true });
}

/** Whether a revision still holds the bytes that it was named after; one that cannot be read does not. */
export function isIntact(stateDir: string, revision: Revision): boolean {
  try {
    return `sha256:${contentOf(revisionFolder(stateDir, revision.revision)).digest}` === revision.content;
  } catch (error) {
    if (error instanceof LocalError || error instanceof SyntaxError || systemCode(error) !== undefined) return false;
    throw error;
  }
}

/** A description that says nothing we understand is as good as none. */
const broken = (error: unknown): undefined => {
  if (error instanceof LocalError) return undefined;
  throw error;
};

/** Called between two steps that must each survive a kill. Tests end the process there. */
export type Step = (name: string) => Promise<void> | void;
export const noStep: Step = () => undefined;

async function describeProgram(folder: string): Promise<Description> {
  const program = join(folder, 'runtime.js');
  const { code, stdout, stderr } = await run(process.execPath, [program, '--describe'], { timeoutMs: DESCRIBE_MS });
  const said = parse(stdout.toString('utf8'));
  if (code === 0 && Value.Check(Description, said)) return said as Description;
  const words = stderr.toString('utf8').trim().split('\n').at(-1);
  throw new LocalError(
    'revision_broken',
    `The runtime in ${folder} does not say what it is${words ? ` (${words})` : ''}; nothing was staged.`,
    'Build it anew (npm run build), or name another folder.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a killed command left; the pid in the name keeps two living ones apart. */
function clearHalfMade(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = /^\.making-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isThere(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isThere(pid: number): boolean {
  return pid === process.pid ? false : existsAt(pid);
}

function existsAt(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process, or somebody else's: none of ours
  }
}

const changedMeanwhile = (source: string) =>
  new LocalError(
    'source_changed',
    `${source} changed while it was copied (a build?); nothing was staged.`,
    'Try again when the build has ended.',
  );
