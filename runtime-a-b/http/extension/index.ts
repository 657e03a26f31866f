/**
 * The browser extension's way in: a private Unix socket in the state folder. Two generations share that folder, and only
 * one can serve it: a runtime that finds it served tries again until the other has ended. Whatever else stands in the way
 * is said once in the log and in `/health`, and tried again too; the runtime works without it.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { LocalError } from '../../../local/error/index.ts';
import { EXTENSION_CLOSE_MS, EXTENSION_SOCKET_RETRY_MS } from '../../limits.ts';
import type { HttpParts } from '../parts.ts';
import { problem } from '../problem.ts';
import type { PushFeed } from '../push/index.ts';
import { listenAt, SOCKET_LIVE } from './place.ts';
import { extensionRoutes } from './routes.ts';

export interface ExtensionSocket {
  /** `serving`, or the code of what stands in the way. Without I/O. */
  state(): string;
  /** Ends the streams, stops listening, removes the file while it is ours. */
  close(): Promise<void>;
}

/** Resolves after the first try. Never rejects for what stands at the path. */
export async function openExtensionSocket(path: string, parts: HttpParts, push: PushFeed): Promise<ExtensionSocket> {
  const routes = extensionRoutes(parts, push);
  const answer = (request: Request) =>
    routes(request).catch((error: unknown) => {
      parts.log.error({ err: error }, 'a request of the extension failed in an unforeseen way');
      return problem(500, 'internal_error', 'The runtime failed in an unforeseen way; its log has the details.');
    });
  let state = 'not_tried';
  let serving: { server: Server; remove: () => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let trying = Promise.resolve();

  async function attempt(): Promise<void> {
    const server = createAdaptorServer({ fetch: answer, hostname: 'extension.sock' }) as Server;
    try {
      const remove = await listenAt(server, path);
      server.on('error', (error) => parts.log.error({ err: error }, 'the extension socket failed'));
      serving = { server, remove };
      state = 'serving';
    } catch (error) {
      const code = error instanceof LocalError ? error.code : 'extension_socket_failed';
      if (code !== state) {
        const words = error instanceof LocalError ? error.sentence : 'the extension socket cannot be served';
        parts.log[code === SOCKET_LIVE ? 'info' : 'warn']({ err: error }, words);
      }
      state = code;
      if (!closed) timer = setTimeout(again, EXTENSION_SOCKET_RETRY_MS);
    }
  }
  function again(): void {
    trying = attempt();
  }
  again();
  await trying;

  return {
    state: () => state,
    async close() {
      closed = true;
      clearTimeout(timer);
      await trying;
      if (!serving) return;
      const { server, remove } = serving;
      remove();
      push.close();
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      // Calls have been waited for already; a reader who does not take the end of his stream must not hold the runtime.
      const cut = setTimeout(() => server.closeAllConnections(), EXTENSION_CLOSE_MS);
      await ended;
      clearTimeout(cut);
    },
  };
}
