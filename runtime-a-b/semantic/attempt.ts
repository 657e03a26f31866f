/** One request to one provider. Redirects are not followed, or the key would go wherever a provider points. */
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { ANSWER_BYTES_MAX, type Asked, answerOf, requestFor, type Told } from '../../contract/semantic/protocols.ts';
import type { AttemptCode } from './choose.ts';

/** Resolves by `limitMs` whatever the provider does. What a broken connection says quotes addresses, so only its kind is kept. */
export async function attempt(
  route: SemanticRoute,
  asked: Asked,
  limitMs: number,
  outer: AbortSignal,
): Promise<Told | AttemptCode> {
  const text = await post(route.url, requestFor(route, asked), limitMs, outer);
  if (text.kind === 'failed') return text.code;
  return answerOf(route, asked, text.body) ?? 'invalid_response';
}

export type Posted = { kind: 'answer'; body: string } | { kind: 'failed'; code: AttemptCode; body?: string };

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
  const timer = setTimeout(() => ending.abort(), Math.max(1, limitMs));
  try {
    return await Promise.race([exchange(url, request, signal), stopped]);
  } catch {
    return { kind: 'failed', code: signal.aborted ? 'timeout' : 'network' };
  } finally {
    clearTimeout(timer);
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
  const text = await textUpTo(response, ANSWER_BYTES_MAX);
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
