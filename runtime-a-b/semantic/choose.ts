/** For how long a route is asked, and for how long it is left alone. Pure. */
import type { AttemptCode } from '../../contract/semantic/candidates.ts';
import type { Kind } from '../../contract/semantic/protocols.ts';
import {
  CALLER_MS_MAX,
  CALLER_MS_MIN,
  CHAT_MS,
  COOLDOWN_MS,
  COOLDOWN_REFUSED_MS,
  EVALUATE_ATTEMPT_MS,
  EVALUATE_MS,
} from './limits.ts';

/** How long all tries together may take. A caller's own time is bounded; the pool's own limit stands in for none. */
export function wholeMs(kind: Kind, asked: number | undefined): number {
  if (asked !== undefined) return Math.min(Math.max(asked, CALLER_MS_MIN), CALLER_MS_MAX);
  return kind === 'chat' ? CHAT_MS : EVALUATE_MS;
}

/**
 * How long one try may take. The last one gets what is left. With a caller's own time the first of several gets at most
 * two thirds of it, so that the second still has a chance, and a single route may spend it all.
 */
export function attemptMs(kind: Kind, leftMs: number, isLast: boolean): number {
  if (isLast) return leftMs;
  const share = Math.ceil((leftMs * 2) / 3);
  return kind === 'chat' ? share : Math.min(EVALUATE_ATTEMPT_MS, share);
}

const LASTING: ReadonlySet<AttemptCode> = new Set(['http_400', 'http_401', 'http_403', 'http_404', 'http_422']);

export function cooldownMs(code: AttemptCode): number {
  return LASTING.has(code) ? COOLDOWN_REFUSED_MS : COOLDOWN_MS;
}
