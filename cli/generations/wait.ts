/** Writing what is wanted, and waiting until the supervisor has dealt with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../local/error/index.ts';
import { changeDesired, type Desired, type Observed, readObserved } from '../../runtime-a-b/generations/index.ts';
import { START } from '../start-it.ts';

/** How often a waiting command looks, in ms: a person notices no less. */
const LOOK_MS = 100;

/** Looks in a row without a supervisor before it counts as gone: a restarted service needs a moment. */
const ABSENT_LOOKS = 50;

/** Throws unless a supervisor runs: what was asked would wait unseen until one does. */
export async function requireSupervisor(stateDir: string): Promise<Observed> {
  const { up, observed } = await readObserved(stateDir);
  if (up && observed) return observed;
  throw new LocalError(
    'up_absent',
    'Nothing supervises this workstation at the moment, so nothing was changed.',
    `Start it: ${START}`,
  );
}

/**
 * Writes the change and resolves with what was observed once it has been dealt with, well or badly. Ends with a
 * `LocalError` when the supervisor goes away meanwhile: the change stays asked for.
 */
export async function changeAndWait(stateDir: string, edit: (now: Desired) => Desired): Promise<Observed> {
  const { change } = await changeDesired(stateDir, edit);
  return waitFor(stateDir, (observed) => observed.change >= change);
}

export async function waitFor(stateDir: string, fits: (observed: Observed) => boolean): Promise<Observed> {
  for (let absent = 0; absent < ABSENT_LOOKS; ) {
    const { up, observed } = await readObserved(stateDir);
    if (observed && fits(observed)) return observed;
    absent = up ? 0 : absent + 1;
    await sleep(LOOK_MS);
  }
  throw new LocalError(
    'up_ended',
    'The supervisor ended meanwhile. What was asked stays asked and is done when it runs again.',
    `Start it: ${START}; herdr-mcp runtime status then says what became of it.`,
  );
}
