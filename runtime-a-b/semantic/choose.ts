/** Which routes are asked, in which order and for how long. Pure; the clock is an argument. */
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { type Kind, kindOf } from '../../contract/semantic/protocols.ts';
import {
  ATTEMPTS_MAX,
  CALLER_MS_MAX,
  CALLER_MS_MIN,
  CHAT_MS,
  COOLDOWN_MS,
  COOLDOWN_REFUSED_MS,
  EVALUATE_ATTEMPT_MS,
  EVALUATE_MS,
} from './limits.ts';

/** Why one try failed. `http_<n>` is the provider's status. */
export type AttemptCode = 'timeout' | 'network' | 'invalid_response' | `http_${number}`;

/** Until when each route is left alone, by its name. In memory: losing it costs one failed try. */
export type Cooldowns = Map<string, number>;

/** The configured order is the priority: the first route that is not cooling is first every time. */
export function candidates(
  routes: readonly SemanticRoute[],
  kind: Kind,
  cooldowns: Cooldowns,
  nowMs: number,
): { fitting: number; ready: SemanticRoute[]; coolingUntilMs: number | undefined } {
  const fitting = routes.filter(({ protocol }) => kindOf(protocol) === kind);
  const ready = fitting.filter(({ name }) => (cooldowns.get(name) ?? 0) <= nowMs).slice(0, ATTEMPTS_MAX);
  const cooling = fitting.map(({ name }) => cooldowns.get(name) ?? 0).filter((untilMs) => untilMs > nowMs);
  return {
    fitting: fitting.length,
    ready,
    coolingUntilMs: cooling.length === 0 ? undefined : Math.min(...cooling),
  };
}

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
