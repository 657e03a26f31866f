import { DOCUMENT_TIMEOUT_MS, textUpTo } from '../../http/index.ts';
import { refuseAddress } from './document-rules.ts';

export type Fetched =
  | { ok: true; value: unknown; cacheControl: string | null }
  | { ok: false; why: string; definite: boolean };

/**
 * Reads a small JSON document from a stranger's host: https only, no redirect followed, no private host, a size limit, and
 * one time limit for headers and body together. `definite` says that the host itself gave the bad answer, so an older
 * good one must not be used in its place.
 */
export async function fetchDocument(address: string, byteLimit: number): Promise<Fetched> {
  const refused = refuseAddress(address);
  if (refused !== undefined) return { ok: false, why: refused, definite: true };
  const signal = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS);
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      cache: 'no-store',
      signal,
      headers: { accept: 'application/json', 'user-agent': 'herdr-mcp' },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const definite = response.status < 500 && response.status !== 429;
      return { ok: false, why: `answered ${response.status}`, definite };
    }
    const text = await within(signal, textUpTo(response, byteLimit));
    if (text === undefined) return { ok: false, why: `is larger than ${byteLimit} bytes`, definite: true };
    return { ok: true, value: JSON.parse(text), cacheControl: response.headers.get('cache-control') };
  } catch (error) {
    const broken = error instanceof SyntaxError;
    return { ok: false, why: broken ? 'is not JSON' : 'could not be reached in time', definite: broken };
  }
}

/** A body that trickles must end with the time limit too, whether or not the transport honours the signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException('timed out', 'TimeoutError'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
