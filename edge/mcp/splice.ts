/** A tool result's bytes into a JSON-RPC answer, without reading them (design, section 2). */

const encoder = new TextEncoder();
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface SpliceParts {
  id: string | number;
  /** A serialised `CallToolResult` without `_meta`. */
  result: Uint8Array;
  /** Becomes the result's `_meta`. */
  meta: Record<string, unknown>;
  /** The 2026 era names the kind of every result. */
  modern: boolean;
}

/**
 * The pieces of the whole message, in order; `undefined` when the bytes are no JSON object by their ends, so that
 * nothing broken is ever passed on as an answer.
 */
export function splice({ id, result, meta, modern }: SpliceParts): Uint8Array[] | undefined {
  const last = result.byteLength - 1;
  if (last < 1 || result[0] !== OPEN_BRACE || result[last] !== CLOSE_BRACE) return undefined;
  const comma = last === 1 ? '' : ',';
  const head = encoder.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
  const tail = encoder.encode(`${comma}${modern ? '"resultType":"complete",' : ''}"_meta":${JSON.stringify(meta)}}}`);
  return [head, result.subarray(0, last), tail];
}
