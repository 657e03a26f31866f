/**
 * The runtime's loopback port. Decided once, in this order: `/health` answers anybody without waiting for anything; then
 * Host and Origin must be this machine's, then the bearer must be the state folder's; then the link's routes or the MCP
 * door take the request. No cookie, no CORS answer, no redirect: nothing here is for a web page.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { LocalError, systemCode } from '../../local/error/index.ts';
import { RUNNING_ROUTE } from '../generations/index.ts';
import { CONNECTIONS_MS } from '../limits.ts';
import { callStreams } from './call-stream.ts';
import { directCalls } from './direct.ts';
import { isBearer, isLoopbackHost, isLoopbackOrigin } from './guard.ts';
import { linkRoutes } from './link-routes.ts';
import { mcpEndpoint, rpcError } from './mcp.ts';
import type { HttpParts } from './parts.ts';
import { problem } from './problem.ts';

export { type ExtensionSocket, openExtensionSocket } from './extension/index.ts';
export type { HttpParts } from './parts.ts';
export { createPushFeed, type PushFeed } from './push/index.ts';
export { runningNow } from './running.ts';

export interface HttpServer {
  port: number;
  /** No new connections; the open ones are closed when they have taken their answers, or after a short while. */
  close(): Promise<void>;
}

/** JSON-RPC code for a caller who may not, as the reference has it. */
const UNAUTHORIZED = -32001;

/** Listens on 127.0.0.1 only. Port 0 means any free one. Throws a `LocalError` when the port is taken. */
export async function listen(port: number, parts: HttpParts): Promise<HttpServer> {
  const token = Buffer.from(parts.token);
  const app = new Hono();
  let bound = port;

  app.get('/health', (c) => c.json(parts.health()));
  app.use(async (c, next) => {
    if (!isLoopbackHost(c.req.header('host'), bound) || !isLoopbackOrigin(c.req.header('origin'))) {
      return problem(403, 'host_not_allowed', 'Only programs on this machine may call this port.');
    }
    if (!isBearer(c.req.header('authorization'), token)) {
      const answer = rpcError(401, UNAUTHORIZED, "The bearer of this workstation's state folder is needed.");
      answer.headers.set('www-authenticate', 'Bearer');
      return answer;
    }
    await next();
  });
  app.route('/', linkRoutes(parts));
  app.get(RUNNING_ROUTE, (c) => c.json(parts.running()));
  const mcp = mcpEndpoint(parts, 'loopback');
  app.all('/mcp', (c) => mcp(c.req.raw));
  for (const path of ['/push/*', '/extension/*']) app.all(path, () => refusedOverTcp());
  app.notFound(() => problem(404, 'not_found', 'There is no such route.'));
  app.onError((error) => {
    parts.log.error({ err: error }, 'a request failed in an unforeseen way');
    return problem(500, 'internal_error', 'The runtime failed in an unforeseen way; its log has the details.');
  });

  const admits = ({ host, origin, authorization }: IncomingMessage['headers']) =>
    isLoopbackHost(host, bound) && isLoopbackOrigin(origin) && isBearer(authorization, token);
  const web = getRequestListener(app.fetch, { hostname: '127.0.0.1' });
  const listener = directCalls(parts, admits, (request, response) => void web(request, response));
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

/** A bearer is no sign of the browser: only the private socket is. */
function refusedOverTcp(): Response {
  return problem(
    403,
    'extension_socket_only',
    'This route is served on the extension socket of the state folder only.',
  );
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
