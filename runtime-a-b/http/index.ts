/**
 * The runtime's loopback port. Decided once, in this order: `/health` answers anybody without waiting for anything; then
 * Host and Origin must be this machine's, then the bearer must be the state folder's; then the link's routes or the MCP
 * door take the request. No cookie, no CORS answer, no redirect: nothing here is for a web page.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalError, systemCode } from '../../local/error/index.ts';
import { CONNECTIONS_MS } from '../limits.ts';
import { callStreams } from './call-stream.ts';
import { directCalls } from './direct.ts';
import { isBearer, isLoopbackHost, isLoopbackOrigin } from './guard.ts';
import type { HttpParts } from './parts.ts';
import { webListener } from './web-listener.ts';

export { type ExtensionSocket, openExtensionSocket } from './extension/index.ts';
export type { HttpParts } from './parts.ts';
export { createPushFeed, type PushFeed } from './push/index.ts';
export { runningNow } from './running.ts';

export interface HttpServer {
  port: number;
  /** No new connections; the open ones are closed when they have taken their answers, or after a short while. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 only. Port 0 means any free one. Throws a `LocalError` when the port is taken. */
export async function listen(port: number, parts: HttpParts): Promise<HttpServer> {
  const token = Buffer.from(parts.token);
  let bound = port;

  const admits = ({ host, origin, authorization }: IncomingMessage['headers']) =>
    isLoopbackHost(host, bound) && isLoopbackOrigin(origin) && isBearer(authorization, token);
  const routes = () => import('./routes.ts').then(({ loopbackRoutes }) => loopbackRoutes(parts, bound));
  const listener = healthFirst(parts, directCalls(parts, admits, webListener(routes, '127.0.0.1', parts.log)));
  const streams = callStreams(parts, admits);
  const server = await new Promise<Server>((resolve, reject) => {
    const starting = createServer({ shouldUpgradeCallback: streams.asksFor }, listener).listen(port, '127.0.0.1', () =>
      resolve(starting),
    );
    starting.once('error', (error) => reject(portTrouble(error, port)));
  });
  server.on('upgrade', streams.upgrade);
  bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    close: () =>
      new Promise((resolve) => {
        const patience = setTimeout(() => {
          server.closeAllConnections();
          streams.cut();
        }, CONNECTIONS_MS);
        server.close(() => {
          clearTimeout(patience);
          resolve();
        });
        server.closeIdleConnections();
        streams.close();
      }),
  };
}

/** `/health`, before anything else is looked at or loaded. */
function healthFirst(parts: Pick<HttpParts, 'health'>, otherwise: RequestListener): RequestListener {
  return (request, response) => {
    if (request.method !== 'GET' || request.url !== '/health') {
      otherwise(request, response);
      return;
    }
    const body = Buffer.from(JSON.stringify(parts.health()));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
}

function portTrouble(error: unknown, port: number): unknown {
  if (systemCode(error) !== 'EADDRINUSE') return error;
  return new LocalError(
    'port_in_use',
    `Port ${port} on 127.0.0.1 is taken by another program.`,
    'Stop that program, or set runtime.port in config.json; nothing was started.',
    error,
  );
}
