/** Waits for a condition by looking at it; the only way in which these tests wait. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 25;
/** Far above every time that Herdr promises, for a machine that does ten other things. */
const GIVE_UP_MS = 45_000;

/** The first value of `look` that is neither undefined nor false; throws with `what` when it never comes. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  giveUpMs = GIVE_UP_MS,
): Promise<T> {
  const deadline = performance.now() + giveUpMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never came: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
