/** How each kind of provider is asked, and what of its answer is believed: for the edge's pool and for local routes. Pure. */

import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { objectOf } from '../json.ts';
import {
  type Answer,
  type ChatRequest,
  ChoiceAnswer,
  type EvaluateRequest,
  NoulAnswer,
  type Question,
  ScoreAnswer,
  type SemanticProtocol,
  type SemanticRoute,
  Usage,
} from './index.ts';

/** Longest text of a provider that is passed on as the name of its model, in characters. */
const MODEL_CHARS_MAX = 256;
/** What is shorter is no secret, and would be found in every text. */
const KEY_CHARS_MIN = 8;
/** Longest answer of a provider that is read, in bytes. */
export const ANSWER_BYTES_MAX = 256 * 1024;

/** What a route can answer: typed questions, or a chat. */
export type Kind = 'evaluate' | 'chat';

export function kindOf(protocol: SemanticProtocol): Kind {
  return protocol === 'openai-chat' ? 'chat' : 'evaluate';
}

export type Asked = { kind: 'evaluate'; request: EvaluateRequest } | { kind: 'chat'; request: ChatRequest };

export type Told =
  | { model: string; answers: Record<string, Answer>; usage?: Usage }
  | { model: string; content: string; usage?: Usage };

export function requestFor(route: SemanticRoute, asked: Asked): { headers: Record<string, string>; body: string } {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${route.api_key}` };
  if (asked.kind === 'chat') {
    const { messages } = asked.request;
    return { headers, body: JSON.stringify({ model: route.model, messages, temperature: 0, stream: false }) };
  }
  const { state, questions } = asked.request;
  if (route.protocol === 'decision') return { headers, body: JSON.stringify({ state, model: route.model, questions }) };
  return {
    headers: {
      ...headers,
      'ai-gateway-protocol-version': '0.0.1',
      'ai-evaluation-model-specification-version': '4',
      'ai-model-id': route.model,
    },
    body: JSON.stringify({ state, questions: mapped(questions, asBoolean) }),
  };
}

/** This gateway calls our `noul` a boolean, and answers it with a probability. */
function asBoolean(question: Question): unknown {
  return question.type === 'noul' ? { ...question, type: 'boolean' } : question;
}

/** What is usable of a provider's answer, or `undefined`. Members that nobody asked for are dropped. */
export function answerOf(route: SemanticRoute, asked: Asked, text: string): Told | undefined {
  const said = objectOf(text);
  if (!said) return undefined;
  const about = { model: modelOf(said, route), ...usageOf(said) };
  if (asked.kind === 'chat') {
    const content = contentOf(said);
    return content === undefined || quotesKey(content, route) ? undefined : { ...about, content };
  }
  const given = (said.answers ?? {}) as Record<string, unknown>;
  const answers: Record<string, Answer> = {};
  for (const [id, question] of Object.entries(asked.request.questions)) {
    const answer = answerTo(question, Object.hasOwn(given, id) ? given[id] : undefined, route);
    if (!answer) return undefined;
    answers[id] = answer;
  }
  return { ...about, answers };
}

function answerTo(question: Question, given: unknown, { protocol }: SemanticRoute): Answer | undefined {
  if (question.type === 'noul') {
    const read = protocol === 'decision-vercel' ? asNoul(given) : given;
    return Value.Check(NoulAnswer, read) ? { type: 'noul', noul: read.noul } : undefined;
  }
  if (question.type === 'score') {
    if (!Value.Check(ScoreAnswer, given) || given.score > question.levels.length - 1) return undefined;
    return only(ScoreAnswer, given);
  }
  if (!Value.Check(ChoiceAnswer, given) || !Object.hasOwn(question.choices, given.choice)) return undefined;
  const { probabilities, ...rest } = only(ChoiceAnswer, given);
  const known = Object.entries(probabilities ?? {}).filter(([key]) => Object.hasOwn(question.choices, key));
  return { ...rest, ...(known.length === 0 ? {} : { probabilities: Object.fromEntries(known) }) };
}

const BooleanAnswer = Type.Object({ type: Type.Literal('boolean'), probability: Type.Number() });

function asNoul(given: unknown): unknown {
  return Value.Check(BooleanAnswer, given) ? { type: 'noul', noul: given.probability } : given;
}

/** A copy that holds only what the schema names. */
function only<Of>(schema: TSchema, value: Of): Of {
  return Value.Clean(schema, structuredClone(value)) as Of;
}

function contentOf(said: Record<string, unknown>): string | undefined {
  const first = Array.isArray(said.choices)
    ? (said.choices[0] as { message?: { content?: unknown } } | null)
    : undefined;
  const content = first?.message?.content ?? said.content;
  return typeof content === 'string' && content !== '' ? content : undefined;
}

function modelOf(said: Record<string, unknown>, route: SemanticRoute): string {
  const { model } = said;
  const usable = typeof model === 'string' && model.length <= MODEL_CHARS_MAX && /^[\x21-\x7e]+$/.test(model);
  return usable && !quotesKey(model, route) ? model : route.model;
}

/** A provider that says our own key back is not passed on. */
function quotesKey(text: string, { api_key: key }: SemanticRoute): boolean {
  return key.length >= KEY_CHARS_MIN && text.includes(key);
}

function usageOf(said: Record<string, unknown>): { usage?: Usage } {
  return Value.Check(Usage, said.usage) ? { usage: only(Usage, said.usage) } : {};
}

function mapped<In, Out>(record: Record<string, In>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
