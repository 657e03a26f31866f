/**
 * Time in a page that may be hidden for hours. A browser runs timers that set each other off once a minute in such a
 * page; one that is set from a message's task is only held back to a second. So every pause ends in such a task.
 */

export interface Clock {
  now(): number;
  /** Ends early, without an error, when the page script is ended. */
  pause(ms: number): Promise<void>;
  /** Runs `look` now and then, never twice at once, until the page script is ended; one that fails is not the last. */
  every(ms: number, look: () => void | Promise<void>): void;
}

export function createClock(ended: AbortSignal): Clock {
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  ended.addEventListener('abort', () => channel.port1.close(), { once: true });

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (ended.aborted) return resolve();
      const over = () => resolve();
      ended.addEventListener('abort', over, { once: true });
      setTimeout(() => {
        ended.removeEventListener('abort', over);
        waiting.push(resolve);
        channel.port2.postMessage(null);
      }, ms);
    });
  return {
    now: () => Date.now(),
    pause,
    every(ms, look) {
      void (async () => {
        while (!ended.aborted) {
          try {
            await look();
          } catch (error) {
            console.error('herdr-mcp: a look at the page failed; the next one comes', error);
          }
          await pause(ms);
        }
      })();
    },
  };
}
