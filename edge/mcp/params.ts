import { objectOf } from '../../contract/json.ts';

/** `herdr_call`'s params: absent or blank means none; `undefined` when the text is no JSON object. */
export function objectIn(text: unknown): Record<string, unknown> | undefined {
  if (text === undefined || text === null) return {};
  if (typeof text !== 'string') return undefined;
  if (text.trim() === '') return {};
  return objectOf(text);
}
