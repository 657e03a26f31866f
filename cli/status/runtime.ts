import { timeLimit } from '../../local/patience/index.ts';
/** What answers on a generation's loopback port. */
export type RuntimeAnswer =
  | { state: 'answers'; version?: string }
  /** Nothing listens there. */
  | { state: 'absent' }
  /** Something listens and did not answer as a runtime does, or not in time: it may be busy. */
  | { state: 'unclear'; why: string };

/** A runtime's `/health` takes no locks, so a healthy one answers at once even when it is busy, in ms. */
const HEALTH_MS_MAX = 2_000;

/** Asks the port's `/health`, which needs no token. Never rejects: not knowing is an answer here. */
export async function askRuntime(port: number): Promise<RuntimeAnswer> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: timeLimit(HEALTH_MS_MAX) });
    const body: unknown = await response.json();
    if (!response.ok || typeof body !== 'object' || body === null) {
      return { state: 'unclear', why: `it answered ${response.status}` };
    }
    return 'version' in body && typeof body.version === 'string'
      ? { state: 'answers', version: body.version }
      : { state: 'answers' };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') return { state: 'absent' };
    return {
      state: 'unclear',
      why:
        error instanceof Error && error.name === 'TimeoutError'
          ? 'it did not answer in time'
          : 'it did not answer as a runtime does',
    };
  }
}
