import { LONGEST_TIMER_MS } from '../limits.ts';
import { type Call, CallError, CallerGone } from './call.ts';

/**
 * A call that waits. `begin` gets `settle`, which runs a look: undefined goes on waiting, a value is the answer, a
 * thrown error the refusal; it gives back how to stop listening. Ends with `timeout`, and silently when the caller
 * leaves. Without a time-out it waits for ever.
 */
export function waiting<T>(
  call: Pick<Call, 'ears'>,
  timeoutMs: number | undefined,
  what: string,
  begin: (settle: (look: () => T | undefined) => void) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let ended = false;
    let stop: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const end = (then: () => void): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      call.ears.gone.removeEventListener('abort', left);
      stop?.();
      then();
    };
    const left = (): void => end(() => reject(new CallerGone()));
    call.ears.gone.addEventListener('abort', left, { once: true });
    call.ears.waiting();
    if (call.ears.gone.aborted) return left();
    if (timeoutMs !== undefined) {
      timer = setTimeout(
        () => end(() => reject(new CallError('timeout', `${what} within ${timeoutMs} ms`))),
        Math.min(timeoutMs, LONGEST_TIMER_MS),
      );
    }
    const begun = begin((look) => {
      if (ended) return;
      try {
        const value = look();
        if (value !== undefined) end(() => resolve(value));
      } catch (error) {
        end(() => reject(error));
      }
    });
    stop = begun;
    if (ended) begun();
  });
}
