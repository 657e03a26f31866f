/**
 * The public plane: what answers where, and the three objects.
 *
 * `/mcp` comes first and past no router: it is the path of every call. Identity (OAuth, devices, connectors) is mounted
 * as it is; what is left is a few facts about this edge and the link's upgrade.
 */
import { Hono } from 'hono';
import { artifactRoutes, sweepArtifacts } from './artifacts/index.ts';
import { authRoutes } from './auth/index.ts';
import { dispatches } from './dispatches.ts';
import type { Env } from './env.ts';
import { facts } from './facts.ts';
import { fleetRoutes } from './fleet/index.ts';
import { isForeign, parseOrigins } from './http/index.ts';
import { linkUpgrade } from './link-upgrade.ts';
import { logFault } from './log.ts';
import { mcp } from './mcp/index.ts';
import { semanticRoutes } from './semantic/index.ts';

export { Auth } from './auth/index.ts';
export { Fleet } from './fleet/index.ts';
export { Workstation } from './workstation/index.ts';

const app = new Hono<{ Bindings: Env }>();
app.route('/', facts);
app.get('/ws', (c) => linkUpgrade(c.req.raw, c.env));
app.get('/ws/:device', (c) => linkUpgrade(c.req.raw, c.env, c.req.param('device')));
app.route('/', authRoutes);
app.route('/', fleetRoutes);
app.route('/', dispatches);
app.route('/', semanticRoutes);
app.route('/', artifactRoutes);
app.notFound((c) =>
  c.json(
    { ok: false, code: 'not_found', message: 'Nothing is served here.', retryable: false, path: c.req.path },
    404,
    {
      'cache-control': 'no-store',
    },
  ),
);
app.onError((error, c) => {
  logFault('route', error, { path: c.req.path });
  return c.json(
    {
      ok: false,
      code: 'internal_error',
      message: 'The edge failed to answer. Nothing more is known.',
      retryable: false,
    },
    500,
    { 'cache-control': 'no-store' },
  );
});

export default {
  fetch(request, env, ctx) {
    if (isForeign(parseOrigins(env.ORIGINS), request.url, request.headers.get('origin'))) return FOREIGN();
    return isMcp(request.url) ? mcp(request, env, ctx) : app.fetch(request, env, ctx);
  },
  /** Only a deployment with artifacts has a cron trigger. */
  async scheduled(_, env) {
    await sweepArtifacts(env);
  },
} satisfies ExportedHandler<Env>;

const FOREIGN = (): Response =>
  Response.json(
    {
      ok: false,
      code: 'origin_not_allowed',
      message: 'This edge runs on loopback and answers only under a loopback name, and no page of another site.',
      retryable: false,
    },
    { status: 403, headers: { 'cache-control': 'no-store' } },
  );

/** Whether the path is `/mcp`, found without building a URL: this stands before every call. */
function isMcp(url: string): boolean {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  if (path === -1 || !url.startsWith('/mcp', path)) return false;
  const rest = url.slice(path + 4);
  return rest === '' || rest === '/' || rest.startsWith('?') || rest.startsWith('#');
}
