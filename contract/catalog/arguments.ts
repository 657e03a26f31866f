/** Arguments that several tools share, so that one word means one thing everywhere. */
import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts';

const SAFE_INTEGER = Number.MAX_SAFE_INTEGER;

export const text = (description: string, options: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ description, ...options });

export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const whole = (description: string, minimum: number, maximum: number = SAFE_INTEGER) =>
  Type.Optional(Type.Integer({ description, minimum, maximum }));

/** A closed list of words; published as a string with `enum`, which every host understands. */
export const word = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description });

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

export const path = text('Absolute path inside a known root.', { minLength: 1, maxLength: 4096 });
export const root = text('Absolute path of a project root that herdr_inspect lists.', {
  minLength: 1,
  maxLength: 4096,
});
export const confirmDirty = flag('Acknowledges that the file has uncommitted changes.');
export const confirmBusy = flag('Acknowledges that an agent is working in the project.');
export const expectedSha256 = Type.Optional(
  Type.String({ description: 'Change the file only if its sha256 is this.', maxLength: 80 }),
);
export const idempotencyKey = Type.Optional(
  Type.String({
    description: 'The same key and arguments return the first result instead of acting again; kept for 24 h.',
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
  }),
);

/** An object that accepts nothing else: a misspelt argument is an error, never a default. */
export const args = <const Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
