/** Asking: local routes first, per kind of question; the edge's pool only where no local route fits. */
import { type Cooldowns, candidates } from '../../contract/semantic/candidates.ts';
import type { Answer, ChatRequest, EvaluateRequest } from '../../contract/semantic/index.ts';
import { type Asked, type Kind, kindOf, type Told } from '../../contract/semantic/protocols.ts';
import type { Log } from '../../local/log/index.ts';
import { timeLimit } from '../../local/patience/index.ts';
import { attempt } from './attempt.ts';
import { attemptMs, cooldownMs, wholeMs } from './choose.ts';
import type { EdgePool } from './edge-pool.ts';
import { TRACE_KEPT } from './limits.ts';
import type { LocalRoutes } from './local-routes.ts';

/** How a question is asked. Whoever waits names his own time; advice that comes later is not waited for. */
export interface Asking {
  /** Who asks, for the trace: `attention`, `planning`, `extension`, … */
  boundary: string;
  budgetMs?: number;
  signal?: AbortSignal;
}

/** Where an answer came from. `provider` is a route's name, never its address. */
export interface Source {
  provider: string;
  protocol: string;
  model: string;
  elapsed_ms: number;
}

/** No answer: `reason` is a code such as `not_configured`, `timeout`, `http_503`, `invalid_response`. A normal outcome. */
export interface NoAnswer {
  ok: false;
  reason: string;
  elapsed_ms: number;
}

export type Evaluated = ({ ok: true; answers: Record<string, Answer>; usage?: unknown } & Source) | NoAnswer;
export type Chatted = ({ ok: true; content: string; usage?: unknown } & Source) | NoAnswer;

/** What can be asked, without keys and addresses. */
export interface SemanticState {
  available: boolean;
  evaluate_available: boolean;
  chat_available: boolean;
  providers: RouteState[];
  chat_providers: RouteState[];
  /** Why the local routes are not used, when there are some that cannot be. */
  local_trouble?: string;
  /** Why the edge's pool is not used, when it was looked for. */
  edge_trouble?: string;
  policy: 'advisory_only';
  fallback: 'existing_behavior';
}

export interface RouteState {
  id: string;
  from: 'config' | 'edge';
  name: string;
  protocol: string;
  model: string;
  cooling_ms?: number;
}

/** One question that was asked: no words of it, no words of the answer. */
export interface Trace {
  at_ms: number;
  boundary: string;
  kind: Kind;
  route: string | null;
  latency_ms: number;
  result: string;
}

export interface Semantic {
  evaluate(request: EvaluateRequest, asking: Asking): Promise<Evaluated>;
  chat(request: ChatRequest, asking: Asking): Promise<Chatted>;
  status(signal?: AbortSignal): Promise<SemanticState>;
  recent(): readonly Trace[];
}

export interface SemanticParts {
  local: () => Promise<LocalRoutes>;
  edge: EdgePool;
  nowMs: () => number;
  log: Log;
}

type Outcome = { ok: true; told: Told; provider: string; protocol: string } | { ok: false; reason: string };

export function createSemantic(parts: SemanticParts): Semantic {
  const { local, edge, nowMs, log } = parts;
  const cooldowns: Cooldowns = new Map();
  const traces: Trace[] = [];

  async function ask(asked: Asked, asking: Asking): Promise<Outcome & { elapsed_ms: number }> {
    const beganAtMs = nowMs();
    const whole = wholeMs(asked.kind, asking.budgetMs);
    const deadline = timeLimit(whole);
    const signal = asking.signal ? AbortSignal.any([asking.signal, deadline]) : deadline;
    const late = new Promise<Outcome>((resolve) => {
      const say = () => resolve({ ok: false, reason: 'timeout' });
      if (signal.aborted) say();
      else signal.addEventListener('abort', say, { once: true });
    });
    const outcome = await Promise.race([askRoutes(asked, asking, beganAtMs + whole, signal), late]);
    const elapsed = nowMs() - beganAtMs;
    note(asked.kind, asking.boundary, outcome, elapsed);
    return { ...outcome, elapsed_ms: elapsed };
  }

  async function askRoutes(asked: Asked, asking: Asking, endAtMs: number, signal: AbortSignal): Promise<Outcome> {
    const { routes, trouble } = await local();
    if (trouble) return { ok: false, reason: trouble };
    const { fitting, ready } = candidates(routes, asked.kind, cooldowns, nowMs());
    if (fitting === 0) return askEdge(asked, endAtMs, signal);
    if (ready.length === 0) return { ok: false, reason: 'routes_cooling_down' };
    let reason = 'timeout';
    for (const [n, route] of ready.entries()) {
      const leftMs = endAtMs - nowMs();
      if (leftMs <= 0 || signal.aborted) break;
      const isLast = n === ready.length - 1;
      const limitMs = attemptMs(asked.kind, leftMs, isLast);
      const told = await attempt(route, asked, limitMs, signal);
      if (typeof told !== 'string') {
        cooldowns.delete(route.name);
        return { ok: true, told, provider: route.name, protocol: route.protocol };
      }
      reason = told;
      // A caller who went away says nothing about the route.
      if (told === 'timeout' && asking.signal?.aborted) break;
      // The only route of its kind, asked with a short time of the caller's own, may just be slower than that.
      if (told === 'timeout' && asking.budgetMs !== undefined && fitting === 1) break;
      cooldowns.set(route.name, nowMs() + cooldownMs(told));
    }
    return { ok: false, reason };
  }

  async function askEdge(asked: Asked, endAtMs: number, signal: AbortSignal): Promise<Outcome> {
    const offered = await edge.offers(signal);
    const fits = offered.status?.[asked.kind === 'chat' ? 'chat_available' : 'evaluate_available'];
    if (!fits) return { ok: false, reason: notOffered(offered.reason) };
    const answer = await edge.ask(asked, endAtMs - nowMs(), signal);
    return answer.ok ? { ok: true, told: answer.told, provider: `edge:${answer.route}`, protocol: 'edge' } : answer;
  }

  function note(kind: Kind, boundary: string, outcome: Outcome, latency_ms: number): void {
    const route = outcome.ok ? outcome.provider : null;
    const result = outcome.ok ? 'answered' : outcome.reason;
    traces.push({ at_ms: nowMs(), boundary, kind, route, latency_ms, result });
    if (traces.length > TRACE_KEPT) traces.shift();
    if (result !== 'not_configured') log.info({ boundary, kind, route, latency_ms, result }, 'advice was asked for');
  }

  return {
    async evaluate(request, asking) {
      const outcome = await ask({ kind: 'evaluate', request }, asking);
      if (!outcome.ok) return { ok: false, reason: outcome.reason, elapsed_ms: outcome.elapsed_ms };
      const { told, provider, protocol, elapsed_ms } = outcome;
      if (!('answers' in told)) return { ok: false, reason: 'invalid_response', elapsed_ms };
      return { ok: true, answers: told.answers, ...usage(told), provider, protocol, model: told.model, elapsed_ms };
    },
    async chat(request, asking) {
      const outcome = await ask({ kind: 'chat', request }, asking);
      if (!outcome.ok) return { ok: false, reason: outcome.reason, elapsed_ms: outcome.elapsed_ms };
      const { told, provider, protocol, elapsed_ms } = outcome;
      if (!('content' in told)) return { ok: false, reason: 'invalid_response', elapsed_ms };
      return { ok: true, content: told.content, ...usage(told), provider, protocol, model: told.model, elapsed_ms };
    },
    async status(signal = timeLimit(EDGE_PATIENCE_MS)) {
      const { routes, trouble } = await local();
      const own = routes.map((route): RouteState => {
        const coolingMs = (cooldowns.get(route.name) ?? 0) - nowMs();
        const { name, protocol, model } = route;
        const cooling = coolingMs > 0 ? { cooling_ms: coolingMs } : {};
        return { id: `config-route:${name}`, from: 'config', name, protocol, model, ...cooling };
      });
      const needsEdge = !trouble && (['evaluate', 'chat'] as const).some((kind) => !own.some(ofKind(kind)));
      const offered = needsEdge ? await edge.offers(signal) : {};
      const shared = (offered.status?.routes ?? []).map(
        ({ name, protocol, model }): RouteState => ({ id: `edge:${name}`, from: 'edge', name, protocol, model }),
      );
      const of = (kind: Kind) => {
        const locals = own.filter(ofKind(kind));
        return locals.length > 0 ? locals : shared.filter(ofKind(kind));
      };
      const [providers, chatProviders] = [of('evaluate'), of('chat')];
      return {
        available: providers.length + chatProviders.length > 0,
        evaluate_available: providers.length > 0,
        chat_available: chatProviders.length > 0,
        providers,
        chat_providers: chatProviders,
        ...(trouble ? { local_trouble: trouble } : {}),
        ...(offered.reason ? { edge_trouble: offered.reason } : {}),
        policy: 'advisory_only',
        fallback: 'existing_behavior',
      };
    },
    recent: () => traces,
  };
}

/** How long `status` waits for the edge. */
const EDGE_PATIENCE_MS = 3_000;

const ofKind =
  (kind: Kind) =>
  ({ protocol }: { protocol: string }): boolean =>
    kindOf(protocol === 'openai-chat' ? 'openai-chat' : 'decision') === kind;

/** A machine without an edge, and an edge without a pool, are simply not configured. */
const notOffered = (reason: string | undefined): string =>
  reason === undefined || reason === 'not_paired' ? 'not_configured' : reason;

const usage = (told: Told): { usage?: unknown } => (told.usage === undefined ? {} : { usage: told.usage });
