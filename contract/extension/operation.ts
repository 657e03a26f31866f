/** What the extension's questions to the runtime have in common: closed objects named by `operation`, refusals of one shape. */
import type { TProperties } from 'typebox';
import * as Type from 'typebox';

export const closed = { additionalProperties: false } as const;

/** One question, by its name. */
export const operation = <Name extends string, Members extends TProperties>(name: Name, members: Members) =>
  Type.Object({ operation: Type.Literal(name), ...members }, closed);

/** Why nothing was done, and what to do then; status 200. */
export interface Refused<Code extends string> {
  ok: false;
  code: Code;
  message: string;
  next: string;
}
