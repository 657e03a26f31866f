import { type AttemptCode, type Cooldowns, candidates } from '../../contract/semantic/candidates.ts';
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { ANSWER_BYTES_MAX, type Asked, answerOf, requestFor, type Told } from '../../contract/semantic/protocols.ts';
import { textUpTo } from '../http/index.ts';
import { attemptMs, cooldownMs, isRefusedQuestion, poolMs } from './choose.ts';

export interface Attempt {
  route: string;
  code: AttemptCode | 'ok';
  ms: number;
}

export type Outcome =
  | { kind: 'told'; told: Told; route: string; attempts: Attempt[] }
  /** The provider says that the question itself is wrong. */
  | { kind: 'refused'; attempts: Attempt[] }
  | { kind: 'failed'; attempts: Attempt[] }
  | { kind: 'cooling'; untilMs: number }
  | { kind: 'no_route' };

/** Asks the pool: the first healthy route, then the next after a failure, until one answers or the time is up. */
export async function askPool(
  pool: readonly SemanticRoute[],
  asked: Asked,
  cooldowns: Cooldowns,
  clock: () => number,
): Promise<Outcome> {
  const startedAtMs = clock();
  const { ready, coolingUntilMs } = candidates(pool, asked.kind, cooldowns, startedAtMs);
  if (ready.length === 0) {
    return coolingUntilMs === undefined ? { kind: 'no_route' } : { kind: 'cooling', untilMs: coolingUntilMs };
  }
  const attempts: Attempt[] = [];
  for (const [n, route] of ready.entries()) {
    const attemptAtMs = clock();
    const leftMs = startedAtMs + poolMs(asked.kind) - attemptAtMs;
    if (leftMs <= 0) break;
    const limitMs = attemptMs(asked.kind, leftMs, n === ready.length - 1);
    const answer = await attempt(route, asked, limitMs);
    const code = typeof answer === 'string' ? answer : 'ok';
    attempts.push({ route: route.name, code, ms: clock() - attemptAtMs });
    if (typeof answer !== 'string') {
      cooldowns.delete(route.name);
      return { kind: 'told', told: answer, route: route.name, attempts };
    }
    if (isRefusedQuestion(asked.kind, answer)) return { kind: 'refused', attempts };
    cooldowns.set(route.name, clock() + cooldownMs(answer));
  }
  return { kind: 'failed', attempts };
}

/** One request. Redirects are not followed, or the key would go wherever a provider points. */
async function attempt(route: SemanticRoute, asked: Asked, limitMs: number): Promise<Told | AttemptCode> {
  const ending = new AbortController();
  const late = new Promise<'timeout'>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve('timeout'));
  });
  const timer = setTimeout(() => ending.abort(), limitMs);
  try {
    return await Promise.race([exchange(route, asked, ending.signal), late]);
  } catch {
    // What a broken connection says quotes addresses; that it broke is all that is passed on.
    return ending.signal.aborted ? 'timeout' : 'network';
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function exchange(route: SemanticRoute, asked: Asked, signal: AbortSignal): Promise<Told | AttemptCode> {
  const request = requestFor(route, asked);
  const response = await fetch(route.url, { method: 'POST', ...request, redirect: 'manual', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    return `http_${response.status}`;
  }
  const text = await textUpTo(response, ANSWER_BYTES_MAX);
  return (text === undefined ? undefined : answerOf(route, asked, text)) ?? 'invalid_response';
}
