/**
 * Questions of the browser extension to the semantic service. That nobody could answer is a normal answer (`ok: false`
 * with a code): the extension then takes its own way. Addresses and keys never appear.
 */
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import {
  CHAT_BODY_BYTES_MAX,
  ChatRequest,
  EVALUATE_BODY_BYTES_MAX,
  EvaluateRequest,
} from '../../../contract/semantic/index.ts';
import type { Semantic } from '../../semantic/index.ts';
import { readBody, readJson } from '../body.ts';
import { problem } from '../problem.ts';

const TimeoutMs = Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 }));
const closed = { additionalProperties: false } as const;
const EvaluateBody = Type.Object({ ...EvaluateRequest.properties, timeout_ms: TimeoutMs }, closed);
const ChatBody = Type.Object({ ...ChatRequest.properties, timeout_ms: TimeoutMs }, closed);

const NO_STORE = { headers: { 'cache-control': 'no-store' } };

export async function semanticStatus(semantic: Semantic): Promise<Response> {
  return Response.json({ ok: true, ...(await semantic.status()), recent: semantic.recent() }, NO_STORE);
}

export async function semanticEvaluate(request: Request, semantic: Semantic): Promise<Response> {
  const body = await bodyOf(request, EvaluateBody, EVALUATE_BODY_BYTES_MAX);
  if (body instanceof Response) return body;
  const { state, questions, timeout_ms } = body;
  const told = await semantic.evaluate({ state, questions }, asking(request, timeout_ms));
  if (told.ok) return Response.json(told, NO_STORE);
  const code = told.reason === 'timeout' ? 'provider_timeout' : told.reason;
  return Response.json({ ...told, code, fallback: 'deterministic' }, NO_STORE);
}

export async function semanticChat(request: Request, semantic: Semantic): Promise<Response> {
  const body = await bodyOf(request, ChatBody, CHAT_BODY_BYTES_MAX);
  if (body instanceof Response) return body;
  const { messages, timeout_ms } = body;
  const told = await semantic.chat({ messages }, asking(request, timeout_ms));
  return Response.json(told.ok ? told : { ...told, code: told.reason, fallback: 'deterministic' }, NO_STORE);
}

function asking(request: Request, budgetMs: number | undefined) {
  return { boundary: 'extension', signal: request.signal, ...(budgetMs === undefined ? {} : { budgetMs }) };
}

async function bodyOf<S extends TSchema>(request: Request, schema: S, limit: number): Promise<Static<S> | Response> {
  const bytes = await readBody(request, limit);
  if (!bytes) return problem(413, 'payload_too_large', `A body is at most ${limit} bytes. Nothing was asked.`);
  const value = readJson(bytes);
  if (Value.Check(schema, value)) return value as Static<S>;
  const [first] = Value.Errors(schema, value);
  const where = first?.instancePath || 'The body';
  return problem(400, 'invalid_request', `${where}: ${first?.message ?? 'has the wrong shape'}. Nothing was asked.`);
}
