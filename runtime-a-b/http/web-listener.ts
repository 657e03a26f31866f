import type { RequestListener } from 'node:http';
import type { Log } from '../../local/log/index.ts';

/** Answers a request of the web's own kind. */
export type Answer = (request: Request) => Response | Promise<Response>;

/**
 * Routes written for the web's `Request` and `Response`, at Node's server. The adapter and the routes are loaded at the
 * first request: with them comes Node's own fetch (20 ms), and nobody who waits for a start waits for that.
 */
export function webListener(load: () => Promise<Answer>, hostname: string, log: Log): RequestListener {
  let loaded: Promise<RequestListener> | undefined;
  const listener = async (): Promise<RequestListener> => {
    const [{ getRequestListener }, answer] = await Promise.all([import('@hono/node-server'), load()]);
    return getRequestListener(answer, { hostname });
  };
  return (request, response) => {
    loaded ??= listener().catch((error: unknown) => {
      loaded = undefined; // the next request tries it again
      throw error;
    });
    loaded
      .then((answer) => answer(request, response))
      .catch((error: unknown) => {
        log.error({ err: error }, 'a request could not be answered at all');
        response.destroy();
      });
  };
}
