/** The texts of refusals: what was refused, that nothing was touched, which roots there are and how to get another. */
import { OutcomeError } from '../../contract/outcome.ts';
import { ROOTS_NAMED_MAX } from './limits.ts';
import type { RootTable } from './table.ts';

const listed = (table: RootTable) =>
  table.roots.slice(0, ROOTS_NAMED_MAX).map((root) => ({
    root: root.path,
    vcs: root.kind === 'git' ? 'git' : null,
    ...(root.stale ? { stale: true } : {}),
  }));

const HOW =
  'Open a workspace or a pane in that directory (herdr_call workspace.create with {"cwd": "…"}, or by hand in Herdr; no agent is needed) and call again. The home directory and everything above it are never reachable.';

export function outsideRoots(path: string, table: RootTable): OutcomeError {
  const names = table.roots.slice(0, ROOTS_NAMED_MAX).map((root) => root.path);
  const more = table.roots.length > names.length ? ` and ${table.roots.length - names.length} more` : '';
  const known = names.length === 0 ? 'No directory is open in Herdr.' : `Roots now: ${names.join(', ')}${more}.`;
  const because = [...table.refused].find(([cwd]) => path === cwd || path.startsWith(`${cwd}/`));
  const why = because === undefined ? '' : ` ${because[0]} is open in Herdr but ${because[1]}.`;
  return new OutcomeError(
    'outside_managed_roots',
    `${path} is outside the roots; nothing was touched. ${known}${why}`,
    {
      next: HOW,
      details: { roots: listed(table) },
    },
  );
}

export function herdrUnknown(problem: string | undefined): OutcomeError {
  return new OutcomeError(
    'herdr_unavailable',
    `Herdr has not told which directories are open${problem === undefined ? '' : ` (${problem})`}, so no root is known; nothing was touched.`,
    { next: 'Check that Herdr runs (herdr_inspect says so), then call again.', delivery: 'not_delivered' },
  );
}

export function badPath(path: string, what: string): OutcomeError {
  return new OutcomeError(
    'invalid_params',
    `The path ${JSON.stringify(path.slice(0, 200))} ${what}; nothing was touched.`,
    {
      next: 'Give an absolute path inside a root that herdr_inspect lists.',
    },
  );
}

export function secretPath(path: string): OutcomeError {
  return new OutcomeError(
    'secret_path_denied',
    `${path} has a name that secrets usually have, so the file tools neither read nor write it; nothing was touched.`,
    { next: 'Ask the person at the workstation, or work without its content.' },
  );
}

export function symlinkEscape(path: string): OutcomeError {
  return new OutcomeError(
    'symlink_escape',
    `${path} leads through a symlink to a place outside its root; nothing was touched.`,
    { next: `${HOW} Or name the file by its real path once that is inside a root.` },
  );
}

export function notFound(path: string): OutcomeError {
  return new OutcomeError('not_found', `${path} does not exist; nothing was changed.`, {
    next: 'List the directory with herdr_fs_list, or check the name.',
  });
}

export function gitInternal(path: string): OutcomeError {
  return new OutcomeError(
    'outside_managed_roots',
    `${path} is one of Git's own files, which are no part of the working tree; nothing was changed.`,
    { next: 'Change the repository with git through herdr_exec.' },
  );
}

export function protectedFolder(path: string): OutcomeError {
  return new OutcomeError(
    'protected_folder_unavailable',
    `${path} lies in a protected folder (herdr-mcp's own state, or one that the owner or the system protects), where no file tool works; nothing was touched.`,
    { next: 'Work in a directory outside the protected folders.' },
  );
}

export function notExactRoot(path: string, table: RootTable): OutcomeError {
  return new OutcomeError(
    'root_not_project_root',
    `${path} lies inside a root but is not one itself; nothing was touched.`,
    {
      next: 'Name one of the listed roots exactly.',
      details: { roots: listed(table) },
    },
  );
}
