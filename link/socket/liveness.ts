/**
 * Whether the other end is still there. Pure.
 *
 * The link alone pings; the edge's platform answers the text without waking the object. Progress of what we send counts
 * as a sign of life too: on a slow line a ping waits behind a large result, and a dead peer's line stops moving anyway.
 * Sleep shows itself as time that passed between two looks, on the wall clock everywhere, on the monotonic one where that
 * goes on in a sleep. The socket is then probed, never trusted and never thrown away unasked: a clock that was merely set
 * looks the same, and what came meanwhile has not been read.
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
  /** Monotonic ms of the last look. */
  lookedMs: number;
  /** Monotonic ms at which a probe after sleep was sent and not yet answered. */
  probedMs?: number;
}

export type Verdict = 'alive' | 'ping' | 'slept' | 'dead';

/** What a look at `monoMs` and `wallMs` finds. `ping` and `slept` ask for a ping; after `slept` an answer is due soon. */
export function look(vitals: Vitals, monoMs: number, wallMs: number): { verdict: Verdict; vitals: Vitals } {
  const answered = vitals.probedMs !== undefined && vitals.heardMs >= vitals.probedMs;
  const { probedMs: _, ...rest } = vitals;
  const seen: Vitals = answered ? rest : vitals;
  const looked = { ...seen, lookedWallMs: wallMs, lookedMs: monoMs };
  const probe = (probedMs: number) => ({ ...looked, pingedMs: monoMs, probedMs });
  // Silence while nobody listened says nothing, not even after a probe.
  if (monoMs - seen.lookedMs >= WATCH_MS + SLEEP_GAP_MS) return { verdict: 'slept', vitals: probe(monoMs) };
  const patientMs = seen.probedMs === undefined ? PEER_SILENT_MS : WAKE_PROBE_MS;
  if (monoMs - (seen.probedMs ?? seen.heardMs) >= patientMs) return { verdict: 'dead', vitals: looked };
  if (wallMs - seen.lookedWallMs >= WATCH_MS + SLEEP_GAP_MS) {
    return { verdict: 'slept', vitals: probe(seen.probedMs ?? monoMs) };
  }
  if (monoMs - seen.pingedMs >= PING_INTERVAL_MS) return { verdict: 'ping', vitals: { ...looked, pingedMs: monoMs } };
  return { verdict: 'alive', vitals: looked };
}
