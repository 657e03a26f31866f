import { type Context, Hono } from 'hono';
import { renderEnded, renderProblem, renderSignIn } from '../consent/index.ts';
import {
  CORS,
  callerAddress,
  languageOf,
  MAIN,
  oauthError,
  originOf,
  POLL_BODY_BYTES,
  parseOrigins,
  privateJson,
  REGISTRATION_BODY_BYTES,
  TOKEN_BODY_BYTES,
  textUpTo,
} from '../http/index.ts';
import type { Answer } from './answer.ts';
import { type AuthEnv, forgetBearer } from './authenticate.ts';
import {
  AUTHORIZATION_SERVER_PATHS,
  authorizationServerMetadata,
  PROTECTED_RESOURCE_PATHS,
  protectedResourceMetadata,
} from './discovery.ts';

type RouteContext = Context<{ Bindings: AuthEnv }>;

/**
 * Everything of OAuth that a stranger can reach: discovery, registration, sign-in, tokens. All of it is public, has no
 * cookie, and is open to every origin except the sign-in page, which cannot be framed and asks only itself.
 */
export const authRoutes = new Hono<{ Bindings: AuthEnv }>();

const originFor = (c: RouteContext): string => originOf(parseOrigins(c.env.ORIGINS), c.req.url);
const addressOf = (c: RouteContext): string => callerAddress(c.req.raw.headers);
const authOf = (c: RouteContext) => c.env.AUTH.getByName(MAIN);
const asResponse = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers });

/** Public documents may be kept for an hour; they change only with a deployment. */
const PUBLIC = { ...CORS, 'cache-control': 'public, max-age=3600' };

function publish(paths: readonly string[], document: (origin: string) => unknown): void {
  for (const path of paths) {
    authRoutes.get(path, (c) => Response.json(document(originFor(c)), { headers: PUBLIC }));
    authRoutes.options(path, () => new Response(null, { status: 204, headers: CORS }));
  }
}

publish(AUTHORIZATION_SERVER_PATHS, authorizationServerMetadata);
publish(PROTECTED_RESOURCE_PATHS, protectedResourceMetadata);
publish(['/.well-known/mcp.json'], (origin) => ({ serverUrl: `${origin}/mcp`, name: 'herdr-mcp' }));

const withSlash = (paths: readonly string[]): string[] => paths.flatMap((path) => [path, `${path}/`]);

/** Where clients look for an endpoint that they guess instead of reading the metadata. */
const REGISTER_PATHS = withSlash(['/register', '/oauth/register', '/mcp/register', '/mcp/oauth/register']);
const TOKEN_PATHS = withSlash(['/token', '/oauth/token', '/mcp/token', '/mcp/oauth/token']);
const REVOKE_PATHS = withSlash(['/revoke', '/oauth/revoke', '/mcp/revoke', '/mcp/oauth/revoke']);
const AUTHORIZE_PATHS = withSlash(['/authorize', '/oauth/authorize', '/mcp/authorize', '/mcp/oauth/authorize']);

function endpoint(paths: readonly string[], handle: (c: RouteContext) => Promise<Response>): void {
  for (const path of paths) {
    authRoutes.post(path, handle);
    authRoutes.options(path, () => new Response(null, { status: 204, headers: CORS }));
    authRoutes.all(path, () => oauthError(405, 'invalid_request', 'Use POST.', { allow: 'POST, OPTIONS' }));
  }
}

endpoint(REGISTER_PATHS, async (c) => {
  const body = await textUpTo(c.req.raw, REGISTRATION_BODY_BYTES);
  if (body === undefined) {
    return oauthError(413, 'invalid_client_metadata', `A registration is at most ${REGISTRATION_BODY_BYTES} bytes.`);
  }
  return asResponse(await authOf(c).register({ origin: originFor(c), address: addressOf(c), body }));
});

endpoint(TOKEN_PATHS, async (c) => {
  const form = await formOf(c);
  if (form instanceof Response) return form;
  if (!form.has('grant_type')) return oauthError(400, 'invalid_request', 'grant_type is missing.');
  return ask(c, form);
});

endpoint(REVOKE_PATHS, async (c) => {
  const form = await formOf(c);
  if (form instanceof Response) return form;
  form.delete('grant_type');
  const token = form.get('token');
  if (!token) return oauthError(400, 'invalid_request', 'token is missing.');
  const answer = await ask(c, form);
  if (answer.ok) forgetBearer(token);
  return answer;
});

async function ask(c: RouteContext, form: URLSearchParams): Promise<Response> {
  const authorization = c.req.header('authorization') ?? null;
  return asResponse(
    await authOf(c).token({ origin: originFor(c), address: addressOf(c), form: form.toString(), authorization }),
  );
}

/** The fields of a token request: a form, as the standard wants, or the JSON object that some clients send. */
async function formOf(c: RouteContext): Promise<URLSearchParams | Response> {
  const text = await textUpTo(c.req.raw, TOKEN_BODY_BYTES);
  if (text === undefined) {
    return oauthError(413, 'invalid_request', `A token request is at most ${TOKEN_BODY_BYTES} bytes.`);
  }
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(text);
  if (type !== 'application/json') {
    return oauthError(400, 'invalid_request', 'Send application/x-www-form-urlencoded.');
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const form = new URLSearchParams();
    for (const [key, value] of Object.entries(parsed ?? {})) if (typeof value === 'string') form.append(key, value);
    return form;
  } catch {
    return oauthError(400, 'invalid_request', 'The body is not JSON.');
  }
}

for (const path of AUTHORIZE_PATHS) {
  authRoutes.get(path, async (c) => {
    const language = languageOf(c.req.header('accept-language') ?? null);
    const query = new URL(c.req.url).search.slice(1);
    const opened = await authOf(c).open({ query, origin: originFor(c), address: addressOf(c) });
    switch (opened.kind) {
      case 'page':
        return renderSignIn(language, opened.view);
      case 'redirect':
        return new Response(null, { status: 302, headers: { location: opened.to, 'cache-control': 'no-store' } });
      case 'ended':
        return renderEnded(language, opened.state);
      case 'error':
        return renderProblem(language, opened.problem, opened.detail);
    }
  });
}

const FOLLOW_STATUS = {
  pending: 202,
  approved: 200,
  denied: 200,
  expired: 410,
  locked: 423,
  unknown: 403,
  slow: 429,
} as const;

async function followPage(c: RouteContext, cancel: boolean): Promise<Response> {
  const text = await textUpTo(c.req.raw, POLL_BODY_BYTES);
  let asked: unknown;
  try {
    asked = JSON.parse(text ?? '');
  } catch {
    asked = undefined;
  }
  const { request_id: requestId, page_token: pageToken } = (asked ?? {}) as Record<string, unknown>;
  if (typeof requestId !== 'string' || typeof pageToken !== 'string') {
    return privateJson({ state: 'unknown' }, 400);
  }
  const followed = await authOf(c).follow({ requestId, pageToken, cancel, address: addressOf(c) });
  return privateJson(followed, FOLLOW_STATUS[followed.state]);
}

authRoutes.post('/authorize/poll', (c) => followPage(c, false));
authRoutes.post('/authorize/cancel', (c) => followPage(c, true));
