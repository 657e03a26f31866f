/** What a patch would do to files, worked out in memory before anything is touched. */
import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { type Resolved, type Root, refuseGitInternal } from '../../roots/index.ts';
import type { ToolContext } from '../context.ts';
import type { Change } from './commit/index.ts';
import { notInEncoding } from './edit.ts';
import { PATCH_FILES_MAX } from './limits.ts';
import { readSource, type Source } from './mutation.ts';
import { applyHunks, type Section } from './patch/index.ts';
import { hunkFailed, patchFailed } from './patch-failure.ts';
import { binaryFile } from './scan.ts';
import { countEndings, exact, inTermsOf, shown, splitLines, toBytes, usualEnding } from './text/index.ts';

export interface FilePlan {
  target: Resolved;
  /** Canonical paths of files that exist and would change. */
  sources: string[];
  changes: Change[];
  summary: string;
  affected: Record<string, unknown>;
  additions: number;
  removals: number;
}

/** Throws `PATCH_FAILED` and the refusals of path checks; reads files and changes none. */
export async function planPatch(context: ToolContext, root: Root, sections: readonly Section[]): Promise<FilePlan[]> {
  if (sections.length > PATCH_FILES_MAX)
    throw patchFailed(`it names ${sections.length} files; at most ${PATCH_FILES_MAX} are changed at once`);
  refuseRepeatedNames(root, sections);
  const plans: FilePlan[] = [];
  for (const section of sections) plans.push(await planSection(context, root, section));
  refuseDoubles(plans);
  return plans;
}

async function planSection(context: ToolContext, root: Root, section: Section): Promise<FilePlan> {
  if (section.kind === 'add') {
    const target = await newFile(context, root, section.path);
    const text = section.lines.join('\n') + (section.unterminated || section.lines.length === 0 ? '' : '\n');
    const content = Buffer.from(text, 'utf8');
    const change: Change = { kind: 'create', path: target.path, content, missing: target.missing };
    return plan(target, [], [change], 'A', 'add', { additions: section.lines.length, removals: 0 });
  }
  const target = await oldFile(context, root, section.path);
  const source = readSource(target);
  if (section.kind === 'delete') {
    const removals = source.shape === 'binary' ? 0 : splitLines(exact(source.bytes, source.shape)).length;
    return plan(target, [target.path], [{ kind: 'remove', path: target.path, before: source }], 'D', 'delete', {
      additions: 0,
      removals,
    });
  }
  const { content, additions, removals } = updated(target, source, section);
  if (section.moveTo === undefined) {
    if (content.equals(source.bytes))
      throw patchFailed(`it would change nothing in ${section.path}`, { path: section.path });
    return plan(
      target,
      [target.path],
      [{ kind: 'replace', path: target.path, before: source, content }],
      'M',
      'update',
      { additions, removals },
    );
  }
  const destination = await newFile(context, root, section.moveTo);
  const mode = Number(source.stats.mode & 0o7777n);
  const create: Change = { kind: 'create', path: destination.path, content, missing: destination.missing, mode };
  const moved = plan(
    destination,
    [target.path],
    [create, { kind: 'remove', path: target.path, before: source }],
    'R',
    'update',
    { additions, removals },
  );
  return {
    ...moved,
    summary: `R ${target.relative} -> ${destination.relative}`,
    affected: { ...moved.affected, moved_from: target.path },
  };
}

function plan(
  target: Resolved,
  sources: string[],
  changes: Change[],
  letter: string,
  operation: string,
  counts: { additions: number; removals: number },
): FilePlan {
  return {
    target,
    sources,
    changes,
    summary: `${letter} ${target.relative}`,
    affected: { path: target.path, operation },
    ...counts,
  };
}

function updated(
  target: Resolved,
  source: Source,
  section: Extract<Section, { kind: 'update' }>,
): { content: Buffer; additions: number; removals: number } {
  if (section.hunks.length === 0) return { content: source.bytes, additions: 0, removals: 0 };
  const { shape } = source;
  if (shape === 'binary') throw binaryFile(target.asked, source.bytes.length);
  const text = exact(source.bytes, shape);
  if (!toBytes(text, shape).equals(source.bytes)) throw binaryFile(target.asked, source.bytes.length);
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const lines = splitLines(text.slice(mark.length));
  const hunks = section.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => {
      const own = inTermsOf(line.text, shape);
      if (own === undefined && line.op === '+') throw notInEncoding(target.asked, shape);
      return { op: line.op, text: own ?? line.text };
    }),
  }));
  const applied = applyHunks(lines, hunks, usualEnding(countEndings(text)));
  if ('fault' in applied)
    throw hunkFailed(
      section.path,
      lines.map((line) => shown(line.text, shape)),
      applied.fault,
    );
  const joined = mark + applied.lines.map((line) => line.text + line.ending).join('');
  return { content: toBytes(joined, shape), additions: applied.additions, removals: applied.removals };
}

const absolute = (root: Root, path: string) => (path.startsWith('/') ? path : posix.join(root.path, path));

/** A file that the patch changes or takes away. A symlink is refused: it is not clear whether it or its target is meant. */
async function oldFile(context: ToolContext, root: Root, path: string): Promise<Resolved> {
  const asked = absolute(root, path);
  const resolved = await context.roots.existing(context.live.view(), asked).catch((error: unknown) => {
    if (error instanceof OutcomeError && error.code === 'not_found')
      throw patchFailed(`${path} does not exist`, { path });
    throw error;
  });
  refuseGitInternal(resolved);
  sameRoot(root, resolved);
  const folder = await context.roots.existing(context.live.view(), posix.dirname(asked), 'directory');
  const named = lstatSync(posix.join(folder.path, posix.basename(asked)), { throwIfNoEntry: false });
  if (named?.isSymbolicLink())
    throw patchFailed(`${path} is a symlink to ${resolved.relative}`, { path }, 'Name the file that it leads to.');
  return resolved;
}

/** A file that must not exist yet; folders on the way to it are made. */
async function newFile(context: ToolContext, root: Root, path: string) {
  const found = await context.roots.fresh(context.live.view(), absolute(root, path), { makeParents: true });
  refuseGitInternal(found);
  sameRoot(root, found);
  if (!found.exists) return found;
  throw patchFailed(
    `${path} exists already, so it is not added`,
    { path },
    'Update the file instead, or choose another name.',
  );
}

function sameRoot(root: Root, resolved: Resolved): void {
  if (resolved.root.path === root.path) return;
  throw new OutcomeError(
    'cross_project_patch_denied',
    `${resolved.asked} belongs to ${resolved.root.path}, not to ${root.path}. No file was changed.`,
    {
      next: 'Send one patch for each root.',
    },
  );
}

/** Said before anything else: to delete a file and add it again in one patch is one file named twice. */
function refuseRepeatedNames(root: Root, sections: readonly Section[]): void {
  const seen = new Set<string>();
  for (const section of sections) {
    const names = [
      section.path,
      ...(section.kind === 'update' && section.moveTo !== undefined ? [section.moveTo] : []),
    ];
    for (const name of names) {
      const path = posix.normalize(absolute(root, name));
      if (seen.has(path)) throw namedTwice(name);
      seen.add(path);
    }
  }
}

const namedTwice = (path: string, also = '') =>
  patchFailed(`${path} is named twice${also}`, { path }, 'Give each file one section.');

/** One file twice, under one name or several, or a file where another needs a folder. */
function refuseDoubles(plans: readonly FilePlan[]): void {
  const taken = new Map<string, string>();
  for (const { changes } of plans) {
    for (const change of changes) {
      const ids =
        change.kind === 'create'
          ? [change.path]
          : [change.path, `${change.before.stats.dev}:${change.before.stats.ino}`];
      for (const id of ids) {
        const other = taken.get(id);
        if (other !== undefined) throw namedTwice(change.path, other === change.path ? '' : ` (also as ${other})`);
      }
      for (const id of ids) taken.set(id, change.path);
    }
  }
  const created = plans.flatMap(({ changes }) => changes.filter((change) => change.kind === 'create'));
  for (const { path } of created) {
    const inside = created.find((other) => other.path.startsWith(`${path}/`));
    if (inside !== undefined)
      throw patchFailed(`${path} would be both a file and a folder (of ${inside.path})`, { path });
  }
}
