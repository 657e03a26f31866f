/** How long to wait before the next try. Pure. */
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from '../limits.ts';

/**
 * Full jitter over a doubling ceiling: `random` (0 ≤ r < 1) times min(60 s, 0.5 s · 2^failures). After a deploy every
 * link comes back within half a second, spread; an edge that stays away is asked once a minute at most.
 */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 16));
  return Math.floor(ceiling * random);
}
