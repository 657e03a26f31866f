/** Looking at an edge from outside, until it is as it should be. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { type EdgeAnswer, type Environment, requestEdge } from '../../link/network/index.ts';

const Health = Type.Object({
  ok: Type.Literal(true),
  service: Type.Literal('herdr-mcp-edge'),
  stage: Type.String(),
  edge_version: Type.String(),
});
export type Health = Static<typeof Health>;

const Info = Type.Object({ service: Type.Literal('herdr-mcp-edge'), origins: Type.Array(Type.String()) });
const Resource = Type.Object({ resource: Type.String(), authorization_servers: Type.Array(Type.String()) });
const Server = Type.Object({ issuer: Type.String(), token_endpoint: Type.String() });

/** One look: nothing wrong (`undefined`), or what is not yet as it should be. Never throws. */
export type Look = () => Promise<string | undefined>;

/** Looks again until nothing is wrong or the time is over; gives what was wrong last, or `undefined`. */
export async function until(look: Look, everyMs: number, withinMs: number): Promise<string | undefined> {
  const end = performance.now() + withinMs;
  for (;;) {
    const wrong = await look();
    if (wrong === undefined || performance.now() + everyMs > end) return wrong;
    await sleep(everyMs);
  }
}

/** Whether an edge of this version serves there. */
export function healthy(origin: string, version: string, environment: Environment): Look {
  return async () => {
    const answer = await ask(new URL('/health', origin), environment);
    if (typeof answer === 'string') return answer;
    if (!Value.Check(Health, answer.body)) return `what answers at ${origin} (status ${answer.status}) is no edge`;
    return answer.body.edge_version === version
      ? undefined
      : `${origin} still serves version ${answer.body.edge_version}, not ${version}`;
  };
}

/** Whether the edge counts an address among its own, and tells clients so: resource, issuer, endpoints, and the 401. */
export function identity(origin: string, environment: Environment): Look {
  return async () => {
    const info = await ask(new URL('/info', origin), environment);
    if (typeof info === 'string') return info;
    if (!Value.Check(Info, info.body)) return `${origin}/info (status ${info.status}) is no edge's`;
    if (!info.body.origins.includes(origin)) return `the edge serves ${info.body.origins.join(', ')}, not ${origin}`;
    const resource = await ask(new URL('/.well-known/oauth-protected-resource/mcp', origin), environment);
    if (typeof resource === 'string') return resource;
    const isOwn =
      Value.Check(Resource, resource.body) &&
      resource.body.resource === `${origin}/mcp` &&
      resource.body.authorization_servers.includes(origin);
    if (!isOwn) return `${origin} names another resource or sign-in than its own`;
    const server = await ask(new URL('/.well-known/oauth-authorization-server', origin), environment);
    if (typeof server === 'string') return server;
    if (!Value.Check(Server, server.body) || server.body.issuer !== origin) return `${origin} is not its own issuer`;
    if (!server.body.token_endpoint.startsWith(`${origin}/`)) return `${origin} hands tokens out at another address`;
    return refusesStrangers(origin, environment);
  };
}

async function refusesStrangers(origin: string, environment: Environment): Promise<string | undefined> {
  const url = new URL('/mcp', origin);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const answer = await askBy(() => requestEdge({ method: 'POST', url, body, environment }), url);
  if (typeof answer === 'string') return answer;
  return answer.status === 401 ? undefined : `${url.href} answered ${answer.status} to a call without a token, not 401`;
}

function ask(url: URL, environment: Environment): Promise<EdgeAnswer | string> {
  return askBy(() => requestEdge({ method: 'GET', url, environment }), url);
}

async function askBy(send: () => Promise<EdgeAnswer>, url: URL): Promise<EdgeAnswer | string> {
  try {
    return await send();
  } catch (error) {
    return error instanceof Error ? error.message : `no answer from ${url.origin}`;
  }
}
