/** One request to one provider. Redirects are not followed, or the key would go wherever a provider points. */
import type { AttemptCode } from '../../contract/semantic/candidates.ts';
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { type Asked, answerOf, requestFor, type Told } from '../../contract/semantic/protocols.ts';
import { post } from '../edge/index.ts';

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
