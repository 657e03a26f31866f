/** The pool that every paired workstation shares: its keys are at the edge, and this machine proves who it is. */
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { entryIn, objectOf } from '../../contract/json.ts';
import { ChatAnswer, EvaluateAnswer } from '../../contract/semantic/answers.ts';
import { SemanticStatus } from '../../contract/semantic/index.ts';
import type { Asked, Kind, Told } from '../../contract/semantic/protocols.ts';
import { createEdgeDoor, type Posted } from '../edge/index.ts';
import { COOLDOWN_MS, EDGE_STATUS_MS, EDGE_STATUS_PATIENCE_MS } from './limits.ts';

export type PoolAnswer = { ok: true; told: Told; route: string } | { ok: false; reason: string };

export interface EdgePool {
  /** What it can answer, at most a minute old; nothing when it cannot be asked. Never rejects. */
  offers(signal: AbortSignal): Promise<{ status?: SemanticStatus; reason?: string }>;
  ask(asked: Asked, limitMs: number, signal: AbortSignal): Promise<PoolAnswer>;
}

const PATHS: Record<Kind, string> = { evaluate: '/semantic/evaluate', chat: '/semantic/chat' };

export function edgePool(stateDir: string, nowMs: () => number): EdgePool {
  const { send } = createEdgeDoor(stateDir, nowMs);
  let known: { at: number; value: { status?: SemanticStatus; reason?: string } } | undefined;
  let coolingUntilMs = 0;

  return {
    async offers(signal) {
      if (known && nowMs() - known.at < EDGE_STATUS_MS) return known.value;
      const answer = await send('/semantic/status', undefined, EDGE_STATUS_PATIENCE_MS, signal);
      const status = answer?.kind === 'answer' ? checked(SemanticStatus, answer.body) : undefined;
      const value = status
        ? { status: status as SemanticStatus }
        : { reason: answer ? reasonOf(answer) : 'not_paired' };
      if (!signal.aborted) known = { at: nowMs(), value };
      return value;
    },
    async ask(asked, limitMs, signal) {
      if (nowMs() < coolingUntilMs) return { ok: false, reason: 'routes_cooling_down' };
      const answer = await send(PATHS[asked.kind], asked.request, limitMs, signal);
      if (!answer) return { ok: false, reason: 'not_paired' };
      if (answer.kind === 'failed') {
        const reason = reasonOf(answer);
        if (reason !== 'invalid_request' && !signal.aborted) coolingUntilMs = nowMs() + COOLDOWN_MS;
        return { ok: false, reason };
      }
      const told = checked(asked.kind === 'chat' ? ChatAnswer : EvaluateAnswer, answer.body);
      if (!told || !answersAll(asked, told)) return { ok: false, reason: 'invalid_response' };
      const { route, ...rest } = told as Told & { route?: string };
      return { ok: true, told: rest as Told, route: route ?? 'pool' };
    },
  };
}

/** The edge checks what a provider says against the question; this only guards against another edge's answer. */
function answersAll(asked: Asked, told: unknown): boolean {
  if (asked.kind === 'chat') return true;
  const { answers } = told as { answers: Record<string, { type: string }> };
  return Object.entries(asked.request.questions).every(([id, { type }]) => answers[id]?.type === type);
}

function checked(schema: TSchema, text: string): unknown {
  const value = objectOf(text) ?? {};
  return Value.Check(schema, value) ? Value.Clean(schema, value) : undefined;
}

const CODES: Readonly<Record<string, string>> = {
  semantic_request_rejected: 'invalid_request',
  bad_request: 'invalid_request',
  payload_too_large: 'invalid_request',
  semantic_routes_cooling_down: 'routes_cooling_down',
  semantic_provider_unavailable: 'provider_unavailable',
  semantic_provider_misconfigured: 'route_invalid',
};

function reasonOf(answer: Posted): string {
  if (answer.kind === 'answer') return 'invalid_response';
  const { code } = objectOf(answer.body ?? '') ?? {};
  if (typeof code !== 'string') return answer.code === 'network' ? 'edge_proxy_unavailable' : answer.code;
  return (
    entryIn(CODES, code) ??
    (/^(timeout|network|invalid_response|http_\d{3})$/.test(code) ? code : 'edge_proxy_unavailable')
  );
}
