import { type Context, Hono } from 'hono';
import type { Static, TSchema } from 'typebox';
import * as Value from 'typebox/value';
import type { Cooldowns } from '../../contract/semantic/candidates.ts';
import {
  CHAT_BODY_BYTES_MAX,
  ChatRequest,
  EVALUATE_BODY_BYTES_MAX,
  EvaluateRequest,
  type SemanticRoute,
  type SemanticStatus,
} from '../../contract/semantic/index.ts';
import { type Asked, kindOf } from '../../contract/semantic/protocols.ts';
import { authenticateDevice, type FleetEnv } from '../fleet/index.ts';
import { privateJson, textUpTo } from '../http/index.ts';
import { log } from '../log.ts';
import { askPool, type Outcome } from './ask.ts';
import { poolOf } from './pool.ts';

export type SemanticEnv = FleetEnv & {
  /** JSON of the providers, in order of priority; a secret. Without it there is no advice, and everything works. */
  HERDR_SEMANTIC_ROUTES?: string;
};

type RouteContext = Context<{ Bindings: SemanticEnv }>;

export const semanticRoutes = new Hono<{ Bindings: SemanticEnv }>();

const cooldowns: Cooldowns = new Map();

/** Forgets which routes failed, as a new isolate would; for tests. */
export function forgetCooldowns(): void {
  cooldowns.clear();
}

/** The pool for a paired device, or the finished refusal. A connector's token is none of a device. */
async function poolFor(c: RouteContext): Promise<readonly SemanticRoute[] | Response> {
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  const pool = poolOf(c.env.HERDR_SEMANTIC_ROUTES);
  return pool === 'invalid' ? misconfigured() : (pool ?? []);
}

semanticRoutes.get('/semantic/status', async (c) => {
  const pool = await poolFor(c);
  if (pool instanceof Response) return pool;
  const kinds = new Set(pool.map(({ protocol }) => kindOf(protocol)));
  return privateJson({
    ok: true,
    available: pool.length > 0,
    evaluate_available: kinds.has('evaluate'),
    chat_available: kinds.has('chat'),
    routes: pool.map(({ name, protocol, model }) => ({ name, protocol, model })),
    policy: 'advisory_only',
  } satisfies SemanticStatus);
});

async function evaluate(c: RouteContext): Promise<Response> {
  const intake = await bodyOf(c.req.raw, EvaluateRequest, EVALUATE_BODY_BYTES_MAX);
  return intake instanceof Response ? intake : answer(c, { kind: 'evaluate', request: intake });
}

semanticRoutes.post('/semantic/evaluate', evaluate);
/** The name that earlier clients know. */
semanticRoutes.post('/semantic/systemone', evaluate);

semanticRoutes.post('/semantic/chat', async (c) => {
  const intake = await bodyOf(c.req.raw, ChatRequest, CHAT_BODY_BYTES_MAX);
  return intake instanceof Response ? intake : answer(c, { kind: 'chat', request: intake });
});

async function answer(c: RouteContext, asked: Asked): Promise<Response> {
  const pool = await poolFor(c);
  if (pool instanceof Response) return pool;
  const outcome = await askPool(pool, asked, cooldowns, () => Date.now());
  const attempts = 'attempts' in outcome ? outcome.attempts : [];
  log('semantic', {
    kind: asked.kind,
    outcome: outcome.kind,
    attempts: attempts.map(({ route, code, ms }) => `${route}:${code}:${ms}`).join(' '),
  });
  return told(outcome);
}

function told(outcome: Outcome): Response {
  switch (outcome.kind) {
    case 'told':
      return privateJson({ ok: true, ...outcome.told, route: outcome.route });
    case 'refused':
      return refuse(400, 'semantic_request_rejected', 'The provider refused this question. Nothing was decided.', {
        retryable: false,
        next: 'Change the question; asking the same again gives the same.',
        attempts: outcome.attempts,
      });
    case 'failed':
      return refuse(502, outcome.attempts.at(-1)?.code ?? 'timeout', 'No provider gave a usable answer in time.', {
        retryable: true,
        next: WITHOUT,
        attempts: outcome.attempts,
      });
    case 'cooling':
      return refuse(503, 'semantic_routes_cooling_down', 'Every provider failed lately and is left alone for now.', {
        retryable: true,
        next: WITHOUT,
        retry_after_ms: Math.max(0, outcome.untilMs - Date.now()),
      });
    case 'no_route':
      return refuse(503, 'semantic_provider_unavailable', 'This edge has no provider for this kind of question.', {
        retryable: false,
        next: WITHOUT,
      });
  }
}

const WITHOUT = 'Go on without this advice: nothing depends on it.';

const misconfigured = (): Response =>
  refuse(503, 'semantic_provider_misconfigured', 'The pool of providers cannot be read, so none is asked.', {
    retryable: false,
    next: 'Who deployed this edge sets HERDR_SEMANTIC_ROUTES anew: 1 to 8 routes of name, protocol, url, model, api_key.',
  });

function refuse(status: number, code: string, message: string, more: Record<string, unknown>): Response {
  return privateJson({ ok: false, code, message, ...more }, status);
}

async function bodyOf<S extends TSchema>(request: Request, schema: S, limit: number): Promise<Static<S> | Response> {
  const text = await textUpTo(request, limit);
  const wrong = (code: string, message: string) =>
    refuse(code === 'payload_too_large' ? 413 : 400, code, `${message} No provider was asked.`, {
      retryable: false,
      next: 'Send what this route documents.',
    });
  if (text === undefined) return wrong('payload_too_large', `The body is larger than ${limit} bytes.`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return wrong('bad_request', 'The body is not JSON.');
  }
  if (Value.Check(schema, parsed)) return parsed as Static<S>;
  const [problem] = Value.Errors(schema, parsed);
  return wrong('bad_request', `${problem?.instancePath || 'The body'}: ${problem?.message ?? 'has the wrong shape'}.`);
}
