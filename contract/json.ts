/** Whether JSON holds an object, which is what every message here is. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a table holds under a name from outside: never what every object has (`constructor`, `__proto__`). */
export const entryIn = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The object that the text holds; undefined for other JSON and for what is none. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON: `undefined` says so.
    return undefined;
  }
}
