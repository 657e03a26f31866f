import { createServer, type Socket } from 'node:net';
import { CLOSE_LINGER_MS } from '../limits.ts';
import { type Answerer, serveConnection } from './connection.ts';
import { serveAt } from './place.ts';

export interface Listener {
  /** Takes no new callers, ends those that are there, and removes the socket file if it is still ours. */
  close(): Promise<void>;
}

/** Serves the one-line protocol at a path. Throws `SocketRefused` when the path cannot be served. */
export async function listenAt(path: string, answer: Answerer, onFault: (error: unknown) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveConnection(socket, answer).catch((error: unknown) => {
      onFault(error);
      socket.destroy();
    });
  });
  const remove = await serveAt(server, path);
  server.on('error', onFault);
  return {
    async close() {
      remove();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroySoon();
      // What was already answered gets out; whoever does not read it is cut off.
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_LINGER_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}
