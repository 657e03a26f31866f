/**
 * Whether the other end is still there. Pure.
 *
 * The link alone pings; the edge's platform answers the text without waking the object. Progress of what we send counts
 * as a sign of life too: on a slow line a ping waits behind a large result, and a dead peer's line stops moving anyway.
 * Sleep shows itself as wall clock that passed between two looks; the socket is then probed, never trusted and never
 * thrown away unasked, because a clock that was merely set looks the same.
 */
import { PEER_SILENT_MS, PING_INTERVAL_MS } from '../../contract/limits.ts';
import { SLEEP_GAP_MS, WAKE_PROBE_MS, WATCH_MS } from '../limits.ts';

export interface Vitals {
  /** Monotonic ms of the last message received, or of the last progress in sending. */
  heardMs: number;
  /** Monotonic ms of the last ping. */
  pingedMs: number;
  /** Wall clock, ms since 1970, of the last look. */
  lookedWallMs: number;
  /** Monotonic ms at which a probe after sleep was sent and not yet answered. */
  probedMs?: number;
}

export type Verdict = 'alive' | 'ping' | 'slept' | 'dead';

/** What a look at `monoMs` and `wallMs` finds. `ping` and `slept` ask for a ping; after `slept` an answer is due soon. */
export function look(vitals: Vitals, monoMs: number, wallMs: number): { verdict: Verdict; vitals: Vitals } {
  const answered = vitals.probedMs !== undefined && vitals.heardMs >= vitals.probedMs;
  const { probedMs: _, ...rest } = vitals;
  const seen: Vitals = answered ? rest : vitals;
  const looked = { ...seen, lookedWallMs: wallMs };
  if (monoMs - seen.heardMs >= PEER_SILENT_MS) return { verdict: 'dead', vitals: looked };
  if (seen.probedMs !== undefined && monoMs - seen.probedMs >= WAKE_PROBE_MS)
    return { verdict: 'dead', vitals: looked };
  if (wallMs - seen.lookedWallMs >= WATCH_MS + SLEEP_GAP_MS) {
    return { verdict: 'slept', vitals: { ...looked, pingedMs: monoMs, probedMs: seen.probedMs ?? monoMs } };
  }
  if (monoMs - seen.pingedMs >= PING_INTERVAL_MS) return { verdict: 'ping', vitals: { ...looked, pingedMs: monoMs } };
  return { verdict: 'alive', vitals: looked };
}
