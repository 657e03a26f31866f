/** What comes back from a pool that was asked, after the provider's own words were checked. Schemas only. */
import * as Type from 'typebox';
import { Answer, Usage } from './index.ts';

export const EvaluateAnswer = Type.Object({
  ok: Type.Literal(true),
  model: Type.String(),
  answers: Type.Record(Type.String(), Answer),
  usage: Type.Optional(Usage),
  route: Type.Optional(Type.String()),
});

export const ChatAnswer = Type.Object({
  ok: Type.Literal(true),
  model: Type.String(),
  content: Type.String({ minLength: 1 }),
  usage: Type.Optional(Usage),
  route: Type.Optional(Type.String()),
});
