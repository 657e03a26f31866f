/**
 * The browser extension's way in: a private Unix socket in the state folder. Two generations share that folder, and the
 * active one serves it: when the pointer moves, the one before lets go (streams end, what it answers it finishes) and the
 * new one takes it. Whatever else stands in the way is said once in the log and in `/health`, and tried again; the
 * runtime works without it.
 */
import { createServer, type Server } from 'node:http';
import { LocalError } from '../../../local/error/index.ts';
import { EXTENSION_CLOSE_MS, EXTENSION_SOCKET_RETRY_MS, STANDING_LOOK_MS } from '../../limits.ts';
import type { HttpParts } from '../parts.ts';
import { problem } from '../problem.ts';
import type { PushFeed } from '../push/index.ts';
import { webListener } from '../web-listener.ts';
import { listenAt, SOCKET_LIVE } from './place.ts';
import { extensionRoutes } from './routes.ts';

export interface ExtensionSocket {
  /** `serving`, `not_active`, or the code of what stands in the way. Without I/O. */
  state(): string;
  /** Ends the streams, stops listening, removes the file while it is ours. */
  close(): Promise<void>;
}

/** Resolves after the first try. Never rejects for what stands at the path. */
export async function openExtensionSocket(path: string, parts: HttpParts, push: PushFeed): Promise<ExtensionSocket> {
  const streams = new Set<() => void>();
  const routes = extensionRoutes(parts, endable(push, streams));
  const answer = (request: Request) =>
    routes(request).catch((error: unknown) => {
      parts.log.error({ err: error }, 'a request of the extension failed in an unforeseen way');
      return problem(500, 'internal_error', 'The runtime failed in an unforeseen way; its log has the details.');
    });
  let state = 'not_tried';
  let serving: { server: Server; remove: () => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let looking = Promise.resolve();

  async function look(): Promise<void> {
    const wanted = parts.isActive();
    if (serving && !wanted) letGo();
    else if (!serving && wanted) await attempt();
    if (!wanted) state = 'not_active';
    const soon = serving !== undefined || !wanted || state === SOCKET_LIVE;
    if (!closed) timer = setTimeout(again, soon ? STANDING_LOOK_MS : EXTENSION_SOCKET_RETRY_MS);
  }

  async function attempt(): Promise<void> {
    const server = createServer(webListener(async () => answer, 'extension.sock', parts.log));
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
    }
  }

  /** The path is free at once; requests that came before are answered. Resolves when the last of them is. */
  function letGo(): Promise<void> {
    if (!serving) return Promise.resolve();
    const { server, remove } = serving;
    serving = undefined;
    remove();
    for (const end of [...streams]) end();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    // Calls have been waited for when this runtime stops; a reader who does not take the end of his stream must not hold it.
    const cut = setTimeout(() => closed && server.closeAllConnections(), EXTENSION_CLOSE_MS);
    return ended.finally(() => clearTimeout(cut));
  }

  function again(): void {
    looking = look();
  }
  again();
  await looking;

  return {
    state: () => state,
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
      await letGo();
    },
  };
}

/** The feed as these routes see it: their streams can be ended while the feed goes on. */
function endable(push: PushFeed, streams: Set<() => void>): PushFeed {
  return {
    ...push,
    onClose(end) {
      const forget = push.onClose(end);
      streams.add(end);
      return () => {
        streams.delete(end);
        return forget();
      };
    },
  };
}
