/** How a supervisor begins. */
import { LocalError } from '../../../local/error/index.ts';
import { processStartTime } from '../../../local/spawn/index.ts';
import { VERSION } from '../../../local/version/index.ts';
import type { Observed } from '../observed.ts';

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
