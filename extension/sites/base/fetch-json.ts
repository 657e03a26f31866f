/** Questions to the page's own site, with the page's own credentials. What comes back is never stored. */
import { isObject } from '../../../contract/json.ts';

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** The body as JSON, or null for any failure: refused, late, too large, not JSON, redirected. Never rejects. */
export async function fetchJson(
  ask: Ask,
  path: string,
  options: { signal: AbortSignal; timeoutMs: number; maxBytes: number; bearer?: string },
): Promise<unknown> {
  try {
    const response = await ask(path, {
      credentials: 'include',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
      ...(options.bearer === undefined ? {} : { headers: { authorization: `Bearer ${options.bearer}` } }),
    });
    if (!response.ok) return null;
    const body = await response.text();
    return body.length > options.maxBytes ? null : (JSON.parse(body) as unknown);
  } catch {
    return null;
  }
}

export const record = (value: unknown): Record<string, unknown> | null => (isObject(value) ? value : null);

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
