/** How a supervisor begins. */
import { LocalError } from '../../../local/error/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { processStartTime } from '../../../local/spawn/index.ts';
import { VERSION } from '../../../local/version/index.ts';
import { mendDesired } from '../desired.ts';
import { readPointer } from '../lease.ts';
import { type Observed, readObserved } from '../observed.ts';
import { isBroken, setAside } from '../state-file.ts';
import { herdrAt } from './herdr.ts';

/**
 * What the supervisor before remembered, with every broken file put aside: what was wanted comes out of its copy, what
 * runs is found by looking, and the pointer is written anew with the first step. Throws a `LocalError` when what is wanted
 * cannot be known, or a file is not private.
 */
export async function memory(stateDir: string, say: (line: string) => void): Promise<Observed | undefined> {
  const paths = statePaths(stateDir);
  const { did } = await mendDesired(stateDir);
  if (did !== undefined) say(did);
  const { observed, broken } = await readObserved(stateDir);
  await readPointer(stateDir).catch(async (error: unknown) => {
    if (!isBroken(error)) throw error;
    say(`${error.message} It is now ${await setAside(paths.runtimeActive)}, and is written anew.`);
  });
  if (broken === undefined) return observed;
  const running = observed?.children.map(({ name }) => name).join(', ') || 'nothing of ours';
  say(
    `${broken} It is now ${await setAside(paths.observed)}. What runs was found by looking: ${running}. Where a rollback goes and which revisions are refused is not known any more.`,
  );
  if (!observed?.herdr) return observed;
  const { version } = (await herdrAt(observed.herdr.socket)) ?? observed.herdr;
  return { ...observed, herdr: { ...observed.herdr, version } };
}

/** What a new supervisor begins with: everything that the one before remembered, under its own name. */
export function begin(before: Observed | undefined): Observed {
  const nowMs = Date.now();
  const up = { pid: process.pid, start: processStartTime(process.pid) ?? '', version: VERSION, since_ms: nowMs };
  if (!before) return { schema: 1, up, updated_at_ms: nowMs, change: 0, state: 'starting', children: [], refused: [] };
  const { trouble: _, ...rest } = before;
  return { ...rest, up, updated_at_ms: nowMs, state: 'starting' };
}

/** Where everything ends together nothing runs at a start, so there is nothing to go on from: what is wanted is started. */
export function afresh(observed: Observed): Observed {
  const { active: _, previous: __, candidate: ___, transition: ____, draining: _____, ...rest } = observed;
  return rest;
}

export const alreadyRunning = (stateDir: string, pid: number, name: string) =>
  new LocalError(
    'already_running',
    `${name === 'start' ? 'npm start' : 'herdr-mcp up'} already runs for ${stateDir} (process ${pid}).`,
    'Use that one, or end it first; nothing was started.',
  );
