/**
 * What a workstation may ask small models, and the shape of what comes back: typed questions about a state, or a short
 * chat. Every answer is advice: it never gates a safe action nor unlocks an unsafe one. Schemas only.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';

const Closed = { additionalProperties: false };

/** The body of a question, in bytes: a screen or a summary, never a file. */
export const EVALUATE_BODY_BYTES_MAX = 96 * 1024;
/** The body of a chat, in bytes: 32 messages, few of them long. */
export const CHAT_BODY_BYTES_MAX = 1024 * 1024;

const Words = Type.String({ minLength: 1, maxLength: 4096 });
const Options = Type.Record(Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,256}$' }), Words, {
  minProperties: 2,
  maxProperties: 64,
  ...Closed,
});

/** How likely something is: 0 to 1. */
const NoulQuestion = Type.Object(
  {
    type: Type.Literal('noul'),
    question: Words,
    criteria: Type.Optional(Type.Object({ true: Words, false: Words }, Closed)),
  },
  Closed,
);
/** One of several keys. */
const ChoiceQuestion = Type.Object({ type: Type.Literal('choice'), question: Words, choices: Options }, Closed);
/** One of several levels, lowest first. */
const ScoreQuestion = Type.Object(
  { type: Type.Literal('score'), question: Words, levels: Type.Array(Words, { minItems: 2, maxItems: 64 }) },
  Closed,
);
export const Question = Type.Union([NoulQuestion, ChoiceQuestion, ScoreQuestion]);
export type Question = Static<typeof Question>;

/** `POST /semantic/evaluate`. */
export const EvaluateRequest = Type.Object(
  {
    state: Type.String({ minLength: 1, maxLength: 64 * 1024 }),
    questions: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), Question, {
      minProperties: 1,
      maxProperties: 32,
      ...Closed,
    }),
  },
  Closed,
);
export type EvaluateRequest = Static<typeof EvaluateRequest>;

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const NoulAnswer = Type.Object({ type: Type.Literal('noul'), noul: Share });
export const ChoiceAnswer = Type.Object({
  type: Type.Literal('choice'),
  choice: Type.String(),
  probabilities: Type.Optional(Type.Record(Type.String(), Share)),
  confidence: Type.Optional(Share),
});
/** `score` is the index of the level, and may lie between two. */
export const ScoreAnswer = Type.Object({
  type: Type.Literal('score'),
  score: Type.Number({ minimum: 0, maximum: 63 }),
  confidence: Type.Optional(Share),
});
export const Answer = Type.Union([NoulAnswer, ChoiceAnswer, ScoreAnswer]);
export type Answer = Static<typeof Answer>;

/** Chat may hold line breaks and tabs; other control characters are somebody's accident. */
const ChatText = Type.String({
  minLength: 1,
  maxLength: 64 * 1024,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
});

/** `POST /semantic/chat`. */
export const ChatRequest = Type.Object(
  {
    messages: Type.Array(
      Type.Object(
        {
          role: Type.Union([Type.Literal('system'), Type.Literal('user'), Type.Literal('assistant')]),
          content: ChatText,
        },
        Closed,
      ),
      { minItems: 1, maxItems: 32 },
    ),
  },
  Closed,
);
export type ChatRequest = Static<typeof ChatRequest>;

const Count = Type.Integer({ minimum: 0 });
export const Usage = Type.Object({
  prompt_tokens: Type.Optional(Count),
  completion_tokens: Type.Optional(Count),
  total_tokens: Type.Optional(Count),
});
export type Usage = Static<typeof Usage>;

const Protocol = Type.Union([Type.Literal('decision'), Type.Literal('decision-vercel'), Type.Literal('openai-chat')]);
export type SemanticProtocol = Static<typeof Protocol>;

/** One provider of the pool. */
export const SemanticRoute = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    protocol: Protocol,
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    model: Type.String({ pattern: '^[\\u0021-\\u007e]{1,256}$' }),
    api_key: Type.String({ pattern: '^[\\u0021-\\u007e]{1,4096}$' }),
  },
  Closed,
);
export type SemanticRoute = Static<typeof SemanticRoute>;

/** The pool, in order of priority. */
export const SemanticRoutes = Type.Array(SemanticRoute, { minItems: 1, maxItems: 8 });

/** `GET /semantic/status`: neither keys nor addresses. */
export const SemanticStatus = Type.Object({
  ok: Type.Literal(true),
  available: Type.Boolean(),
  evaluate_available: Type.Boolean(),
  chat_available: Type.Boolean(),
  routes: Type.Array(Type.Object({ name: Type.String(), protocol: Type.String(), model: Type.String() })),
  policy: Type.Literal('advisory_only'),
});
export type SemanticStatus = Static<typeof SemanticStatus>;
