/**
 * What the browser extension may ask over its socket: exactly the paths in this table. Whoever can open the socket is the
 * workstation's user, so no bearer is asked for, and one that is sent is not looked at.
 */
import { LOCAL_MCP_PATH } from '../../../contract/browser/methods.ts';
import { EXTENSION_ROUTE } from '../../../contract/extension/index.ts';
import { mcpEndpoint } from '../mcp.ts';
import type { HttpParts } from '../parts.ts';
import { problem } from '../problem.ts';
import { filtersOf, type PushFeed, pushStream } from '../push/index.ts';
import { browserActuation } from './actuation.ts';
import { continuityResolve, continuityTurn } from './continuity.ts';
import { controlAction, controlLookup, controlWatch } from './control.ts';
import { fleetDevices } from './fleet.ts';
import { browserRegistry } from './registry.ts';
import { semanticChat, semanticEvaluate, semanticStatus } from './semantic.ts';
import { acknowledgeTask, agentTasks } from './tasks.ts';

type Route = { methods: readonly string[]; answer: (request: Request, url: URL) => Promise<Response> };

/** Answers one request. The path counts as it was sent: an encoded or longer spelling is another path. */
export function extensionRoutes(parts: HttpParts, push: PushFeed): (request: Request) => Promise<Response> {
  const mcp = mcpEndpoint(parts, 'extension');
  const local = mcpEndpoint(parts, 'cli');
  const routes = new Map<string, Route>([
    ['/mcp', { methods: ['GET', 'POST', 'DELETE'], answer: (request) => mcp(request) }],
    ['/extension/semantic/status', { methods: ['GET'], answer: () => semanticStatus(parts.semantic) }],
    [
      '/extension/semantic/evaluate',
      { methods: ['POST'], answer: (request) => semanticEvaluate(request, parts.semantic) },
    ],
    ['/extension/semantic/chat', { methods: ['POST'], answer: (request) => semanticChat(request, parts.semantic) }],
    ['/extension/continuity/turn', { methods: ['POST'], answer: (request) => continuityTurn(request, parts) }],
    ['/extension/continuity/resolve', { methods: ['POST'], answer: (request) => continuityResolve(request, parts) }],
    [EXTENSION_ROUTE.registry, { methods: ['POST'], answer: (request) => browserRegistry(request, parts.browser) }],
    [
      EXTENSION_ROUTE.actuation,
      { methods: ['POST'], answer: (request) => browserActuation(request, parts.dispatches) },
    ],
    [LOCAL_MCP_PATH, { methods: ['POST'], answer: (request) => local(request) }],
    [EXTENSION_ROUTE.tasks, { methods: ['GET'], answer: (_, url) => agentTasks(url, parts.tasks) }],
    [EXTENSION_ROUTE.taskAck, { methods: ['POST'], answer: (request) => acknowledgeTask(request, parts.tasks) }],
    [EXTENSION_ROUTE.controlAction, { methods: ['POST'], answer: (request) => controlAction(request, parts) }],
    [EXTENSION_ROUTE.controlLookup, { methods: ['POST'], answer: (request) => controlLookup(request, parts) }],
    [EXTENSION_ROUTE.controlWatch, { methods: ['POST'], answer: (request) => controlWatch(request, push) }],
    [EXTENSION_ROUTE.fleet, { methods: ['GET'], answer: () => fleetDevices(parts) }],
    ['/push/state', { methods: ['GET'], answer: () => pushState(push) }],
    [
      '/push/events',
      {
        methods: ['GET'],
        answer: (request, url) => pushStream(push, filtersOf(url.searchParams), request.headers.get('last-event-id')),
      },
    ],
  ]);
  return async (request) => {
    const url = new URL(request.url);
    const route = routes.get(url.pathname);
    if (!route) return problem(404, 'path_not_allowed', 'The extension socket serves no such path.');
    if (!route.methods.includes(request.method)) {
      return problem(405, 'method_not_allowed', `This path takes ${route.methods.join(', ')}.`);
    }
    return route.answer(request, url);
  };
}

async function pushState(push: PushFeed): Promise<Response> {
  await push.ready();
  return Response.json(push.state(), { headers: { 'cache-control': 'no-store' } });
}
