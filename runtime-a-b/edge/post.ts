import { patience } from '../../local/patience/index.ts';
/** One bounded request over HTTPS. Redirects are not followed, or what it carries would go wherever they point. */

/** Why there is no answer to use. `http_<n>` is the other side's status. */
export type PostCode = 'timeout' | 'network' | 'invalid_response' | `http_${number}`;

/** Longest answer that is read, in bytes. */
const POST_ANSWER_BYTES_MAX = 256 * 1024;

export type Posted = { kind: 'answer'; body: string } | { kind: 'failed'; code: PostCode; body?: string };

/** A POST whose answer is read up to a bound and within a time; a refusal's body is given for those who know its shape. */
export async function post(
  url: string,
  request: { headers: Record<string, string>; body?: string; method?: 'GET' | 'POST' },
  limitMs: number,
  outer: AbortSignal,
): Promise<Posted> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, outer]);
  let late: () => void = () => {};
  const stopped = new Promise<Posted>((resolve) => {
    late = () => resolve({ kind: 'failed', code: 'timeout' });
    signal.addEventListener('abort', late, { once: true });
  });
  if (signal.aborted) late();
  const waiting = patience(Math.max(1, limitMs), () => ending.abort());
  try {
    return await Promise.race([exchange(url, request, signal), stopped]);
  } catch {
    return { kind: 'failed', code: signal.aborted ? 'timeout' : 'network' };
  } finally {
    waiting.end();
    ending.abort();
  }
}

async function exchange(
  url: string,
  { method = 'POST', headers, body }: { method?: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
  signal: AbortSignal,
): Promise<Posted> {
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal,
  });
  const text = await textUpTo(response, POST_ANSWER_BYTES_MAX);
  if (response.status !== 200) {
    return { kind: 'failed', code: `http_${response.status}`, ...(text === undefined ? {} : { body: text }) };
  }
  return text === undefined ? { kind: 'failed', code: 'invalid_response' } : { kind: 'answer', body: text };
}

/** The text, or undefined when there is more than `limit` bytes of it; then the rest is not read. */
async function textUpTo(response: Response, limit: number): Promise<string | undefined> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}
