/** Everything at the loopback port that is neither a call nor the question whether the runtime lives. */
import { Hono } from 'hono';
import { RUNNING_ROUTE } from '../generations/index.ts';
import { isBearer, isLoopbackHost, isLoopbackOrigin } from './guard.ts';
import { linkRoutes } from './link-routes.ts';
import { mcpEndpoint, rpcError } from './mcp.ts';
import type { HttpParts } from './parts.ts';
import { problem } from './problem.ts';

/** JSON-RPC code for a caller who may not, as the reference has it. */
const UNAUTHORIZED = -32001;

/** Answers one request at the port `bound`; who may not ask is told so, whatever the route. */
export function loopbackRoutes(parts: HttpParts, bound: number): (request: Request) => Response | Promise<Response> {
  const token = Buffer.from(parts.token);
  const app = new Hono();
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
  return (request) => app.fetch(request);
}

/** A bearer is no sign of the browser: only the private socket is. */
function refusedOverTcp(): Response {
  return problem(
    403,
    'extension_socket_only',
    'This route is served on the extension socket of the state folder only.',
  );
}
