/** Which routes are asked, and in which order: for the edge's pool and for local routes. Pure; the clock is an argument. */
import type { SemanticRoute } from './index.ts';
import { type Kind, kindOf } from './protocols.ts';

/** Routes tried for one question: a fourth would come after whoever asks has gone on without. */
const ATTEMPTS_MAX = 3;

/** Why one attempt failed. `http_<n>` is the provider's status. */
export type AttemptCode = 'timeout' | 'network' | 'invalid_response' | `http_${number}`;

/** Until when each route is left alone, by its name. In memory: losing it costs one failed attempt. */
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
