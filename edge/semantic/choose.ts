/** For how long a route is asked, and for how long it is left alone. Pure. */
import type { AttemptCode } from '../../contract/semantic/candidates.ts';
import type { Kind } from '../../contract/semantic/protocols.ts';
import {
  CHAT_ATTEMPT_MS,
  CHAT_MS,
  COOLDOWN_MS,
  COOLDOWN_REFUSED_MS,
  EVALUATE_ATTEMPT_MS,
  EVALUATE_MS,
} from './limits.ts';

export const poolMs = (kind: Kind): number => (kind === 'chat' ? CHAT_MS : EVALUATE_MS);

/** How long one attempt may take: its own limit while another route is left, else what is left of the whole. */
export function attemptMs(kind: Kind, leftMs: number, isLast: boolean): number {
  const own = kind === 'chat' ? CHAT_ATTEMPT_MS : EVALUATE_ATTEMPT_MS;
  return isLast ? leftMs : Math.min(own, leftMs);
}

/** Whether the question itself was refused, so that no other route is asked and this one is not to blame. */
export function isRefusedQuestion(kind: Kind, code: AttemptCode): boolean {
  return kind === 'evaluate' && (code === 'http_400' || code === 'http_422');
}

export function cooldownMs(code: AttemptCode): number {
  return code === 'http_401' || code === 'http_403' ? COOLDOWN_REFUSED_MS : COOLDOWN_MS;
}
