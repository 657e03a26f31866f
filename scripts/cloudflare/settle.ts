/**
 * One change, made at most once for each time that we know it was not made. The rule of the whole product for things
 * that may have happened: look, never repeat blindly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../local/error/index.ts';
import type { Answer } from './answer.ts';
import { refusedBy } from './client.ts';

export interface Change<State> {
  /** How it is called in a sentence: `setting CODE_SECRET`. */
  what: string;
  read: () => Promise<State>;
  /** Whether the state is what we want. */
  isDone: (state: State) => boolean;
  /** Whether the state is exactly what it was before we began, so that the change certainly did not happen. */
  isUntouched: (state: State) => boolean;
  act: () => Promise<Answer>;
  /** Waits before each further look after an answer that left it open. */
  lookAgainMs: readonly number[];
}

/** Who made the wanted state: it was there, our change made it, or a look after a lost answer found it. */
export type Settled = 'was_there' | 'done' | 'found_done';

/** How often a change that certainly did not happen is sent: the first time, and once more. */
const TRIES = 2;

/**
 * Brings a state about. Reads first; acts only when the state is not there; after an answer that leaves it open looks
 * until it is there, and acts once more only when every look showed the state of before. Throws a {@link LocalError} for a
 * refusal, and `cloudflare_unclear` when somebody else changed the same thing meanwhile.
 */
export async function settle<State>(change: Change<State>): Promise<Settled> {
  if (change.isDone(await change.read())) return 'was_there';
  let why = '';
  for (let turn = 0; turn < TRIES; turn += 1) {
    const answer = await change.act();
    if (answer.is === 'refused') {
      if (change.isDone(await change.read())) return 'found_done'; // refused because it is there: somebody was first, or we were
      throw refusedBy(answer, change.what);
    }
    if (answer.is === 'unknown') why = `: ${answer.why}`;
    const seen = await look(change, answer.is === 'ok' ? 'done' : 'found_done');
    if (seen.settled) return seen.settled;
    if (!change.isUntouched(seen.last)) {
      throw new LocalError(
        'cloudflare_unclear',
        `After ${change.what} the state at Cloudflare is neither the one of before nor the wanted one${why}.`,
        'Something else changes it at the same time. Look at it in the dashboard, then run the same command again.',
      );
    }
  }
  throw new LocalError(
    'cloudflare_no_effect',
    `Cloudflare was asked twice for ${change.what}, and each look afterwards showed that it had not happened${why}.`,
    'Run the same command again in a few minutes; it goes on where it stopped.',
  );
}

async function look<State>(
  change: Change<State>,
  as: Settled,
): Promise<{ settled: Settled; last?: never } | { settled?: never; last: State }> {
  let last = await change.read();
  for (const wait of change.lookAgainMs) {
    if (change.isDone(last)) return { settled: as };
    await sleep(wait);
    last = await change.read();
  }
  return change.isDone(last) ? { settled: as } : { last };
}
