import { canonicalResource } from '../http/index.ts';
import { ANSWER_HEADERS, type Answer } from './answer.ts';
import type { Presented } from './credentials.ts';
import { ENDPOINTS, NO_CONTEXT, providerFor } from './provider.ts';
import type { Overlay } from './store/index.ts';

export interface TokenRequest {
  origin: string;
  form: URLSearchParams;
  presented: Presented;
}

/**
 * Hands a token or revocation request to the library at its canonical address, with the `resource` in its one spelling.
 * What the library writes stays in `overlay`; the caller commits it or lets it go.
 */
export async function askLibrary(request: TokenRequest, overlay: Overlay): Promise<Answer> {
  const body = new URLSearchParams(request.form);
  const asked = body.getAll('resource').filter((value) => value !== '');
  body.delete('resource');
  for (const value of asked) body.append('resource', canonicalResource(request.origin, value));
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  if (request.presented.basic !== undefined) headers.set('authorization', request.presented.basic);
  const upstream = new Request(`${request.origin}${ENDPOINTS.token}`, {
    method: 'POST',
    headers,
    body: body.toString(),
  });
  const response = await providerFor(request.origin).fetch(upstream, { OAUTH_KV: overlay }, NO_CONTEXT);
  const challenge = response.headers.get('www-authenticate');
  return {
    status: response.status,
    headers: challenge === null ? ANSWER_HEADERS : { ...ANSWER_HEADERS, 'www-authenticate': challenge },
    body: await response.text(),
  };
}
