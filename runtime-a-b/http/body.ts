/** Reading a request's body within a bound. */
import { isObject } from '../../contract/json.ts';

/** The bytes, or undefined when there are more than `limit`; then the rest is not read. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > limit) return undefined;
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length > limit ? undefined : bytes;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The JSON in the bytes, or undefined when they are none. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

/** The JSON object in the bytes, or undefined. */
export function readObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  const value = readJson(bytes);
  return isObject(value) ? value : undefined;
}
