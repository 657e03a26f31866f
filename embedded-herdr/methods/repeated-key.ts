/**
 * The first key that one object of a JSON text has twice, or undefined. `JSON.parse` silently keeps the last one; Herdr
 * refuses such a line, and two readers that keep different ones would act on different requests. The text must be JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const objects: (Set<string> | undefined)[] = [];
  // Strings are skipped whole, so braces and colons inside them count for nothing.
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    const [token, isKey] = match;
    if (token === '{') objects.push(new Set());
    else if (token === '[') objects.push(undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (isKey !== undefined) {
      const key: string = JSON.parse(token.slice(0, token.length - isKey.length));
      const keys = objects.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
