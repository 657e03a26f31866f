/** Options that several commands share, and what is given of them. */
import { UsageError } from '../exit.ts';

export const json = { type: 'boolean', description: 'Answer in JSON' } as const;

/** The options that were given, under the names that the methods have. */
export function given(
  options: Readonly<Record<string, string | number | boolean | undefined>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** A whole number above zero; undefined when it was not given. */
export function count(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`${name} needs a whole number above zero.`);
  return value;
}
