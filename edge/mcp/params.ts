/** `herdr_call`'s params: absent or blank means none; `undefined` when the text is no JSON object. */
export function objectIn(text: unknown): Record<string, unknown> | undefined {
  if (text === undefined || text === null) return {};
  if (typeof text !== 'string') return undefined;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // Not JSON at all: the caller is told by the code that `undefined` becomes.
    return undefined;
  }
}
