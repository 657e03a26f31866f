/** Which routes are asked, in which order and for how long. Pure; the clock is an argument. */
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { type Kind, kindOf } from '../../contract/semantic/protocols.ts';
import {
  ATTEMPTS_MAX,
  CHAT_ATTEMPT_MS,
  CHAT_MS,
  COOLDOWN_MS,
  COOLDOWN_REFUSED_MS,
  EVALUATE_ATTEMPT_MS,
  EVALUATE_MS,
} from './limits.ts';

/** Until when each route is left alone, by its name. In memory of the isolate: losing it costs one failed attempt. */
export type Cooldowns = Map<string, number>;

/** The configured order is the priority: the first healthy route is first every time. */
export function candidates(
  pool: readonly SemanticRoute[],
  kind: Kind,
  cooldowns: Cooldowns,
  nowMs: number,
): { ready: SemanticRoute[]; coolingUntilMs: number | undefined } {
  const fitting = pool.filter(({ protocol }) => kindOf(protocol) === kind);
  const ready = fitting.filter(({ name }) => (cooldowns.get(name) ?? 0) <= nowMs).slice(0, ATTEMPTS_MAX);
  const cooling = fitting.map(({ name }) => cooldowns.get(name) ?? 0).filter((untilMs) => untilMs > nowMs);
  return { ready, coolingUntilMs: cooling.length === 0 ? undefined : Math.min(...cooling) };
}

export const poolMs = (kind: Kind): number => (kind === 'chat' ? CHAT_MS : EVALUATE_MS);

/** How long one attempt may take: its own limit while another route is left, else what is left of the whole. */
export function attemptMs(kind: Kind, leftMs: number, isLast: boolean): number {
  const own = kind === 'chat' ? CHAT_ATTEMPT_MS : EVALUATE_ATTEMPT_MS;
  return isLast ? leftMs : Math.min(own, leftMs);
}

/** Why an attempt failed. `http_<n>` is the provider's status. */
export type AttemptCode = 'timeout' | 'network' | 'invalid_response' | `http_${number}`;

/** Whether the question itself was refused, so that no other route is asked and this one is not to blame. */
export function isRefusedQuestion(kind: Kind, code: AttemptCode): boolean {
  return kind === 'evaluate' && (code === 'http_400' || code === 'http_422');
}

export function cooldownMs(code: AttemptCode): number {
  return code === 'http_401' || code === 'http_403' ? COOLDOWN_REFUSED_MS : COOLDOWN_MS;
}
