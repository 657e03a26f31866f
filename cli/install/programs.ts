/** Bringing a release's programs to where they serve: beside the old ones, gated, watched, and back by themselves. */
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import {
  changeDesired,
  type Observed,
  type Revision,
  readDesired,
  readObserved,
  stageRevision,
} from '../../runtime-a-b/generations/index.ts';
import { schemaOf } from '../../runtime-a-b/state/index.ts';
import { changeAndWait, waitFor } from '../generations/index.ts';
import { noteRevision, placeRelease, type Release, type ReleaseContent, releaseFolder } from '../release/index.ts';

export interface Brought {
  release: Release & { revision: string };
  revision: Revision;
}

/** Puts a release's folder beside the others and stages its programs. Nothing that runs is touched. */
export async function bring(stateDir: string, content: ReleaseContent): Promise<Brought> {
  const placed = await placeRelease(stateDir, content, Date.now());
  const revision = await stageRevision(stateDir, join(releaseFolder(stateDir, placed.id), 'dist'));
  refuseNewerState(stateDir, revision);
  const release = await noteRevision(stateDir, placed, revision.revision);
  return { release: { ...release, revision: revision.revision }, revision };
}

/** A database that a newer release wrote, and this one would misread, is not opened; the way out is named. */
export function refuseNewerState(stateDir: string, { version, state }: Pick<Revision, 'version' | 'state'>): void {
  const { oldest_reader } = schemaOf(stateDir);
  if (oldest_reader <= state.knows) return;
  throw new LocalError(
    'state_newer',
    `The database of ${stateDir} was written by a newer herdr-mcp: it needs a program that knows schema ${oldest_reader}, and version ${version} knows ${state.knows}. Nothing was changed.`,
    `Install that newer version, or put a copy from ${join(stateDir, 'backups')} back (docs/operate.md says how; what was recorded since is then lost).`,
  );
}

export type Moved =
  /** Calls go to it now. */
  | { is: 'serving'; observed: Observed }
  /** Nothing supervises this machine: it is done when something does. */
  | { is: 'asked' };

/**
 * Moves calls to a revision: staged beside the active one, gated, promoted, watched. Throws a {@link LocalError} when it
 * was refused or rolled back by itself; what served before serves on. Run again it finds what is done already.
 */
export async function moveTo(stateDir: string, revision: string): Promise<Moved> {
  const { up, observed } = await readObserved(stateDir);
  refuseRefused(observed, revision);
  if (!up) {
    await changeDesired(stateDir, ({ candidate: _, ...now }) => ({ ...now, active: revision }));
    return { is: 'asked' };
  }
  if (observed?.active?.revision !== revision) {
    const desired = await readDesired(stateDir);
    const isUnderWay = desired?.active === revision || observed?.transition?.to.revision === revision;
    if (!isUnderWay) {
      const staged = await changeAndWait(stateDir, (now) => ({ ...now, candidate: revision }));
      const { candidate } = staged;
      if (candidate?.revision === revision && candidate.phase === 'failed') throw notReady(revision, candidate);
    }
    const { change } = await changeDesired(stateDir, ({ candidate: _, ...now }) => ({ ...now, active: revision }));
    const after = await waitFor(stateDir, (now) => now.change >= change && now.transition === undefined);
    if (after.active?.revision !== revision) throw notMoved(revision, after);
    return { is: 'serving', observed: after };
  }
  return { is: 'serving', observed };
}

function refuseRefused(observed: Observed | undefined, revision: string): void {
  const refused = observed?.refused.find((one) => one.revision === revision);
  if (!refused) return;
  throw new LocalError(
    'revision_refused',
    `${revision} was tried here, rolled back by itself (${refused.reason}), and stays refused; nothing was changed.`,
    'Update to another release.',
  );
}

function notReady(revision: string, candidate: NonNullable<Observed['candidate']>): LocalError {
  return new LocalError(
    candidate.code ?? 'not_ready',
    `${revision} did not pass its gates, so no call went to it. ${sentence(candidate.reason)}`.trim(),
    'What served before serves on. herdr-mcp logs shows what it said; update to another release.',
  );
}

function notMoved(revision: string, observed: Observed): LocalError {
  const last = observed.last_transition;
  const why = last?.to === revision ? (last.reason ?? last.code ?? '') : (observed.trouble ?? '');
  return new LocalError(
    last?.outcome ?? 'not_moved',
    `${revision} did not do well and was rolled back; ${observed.active?.revision ?? 'nothing'} serves. ${sentence(why)}`.trim(),
    'It stays refused. herdr-mcp logs shows what it said; update to another release.',
  );
}

/** A reason that another program gave, ended as a sentence is. */
const sentence = (text = ''): string => (text === '' || text.endsWith('.') ? text : `${text}.`);
