/** `POST /extension/browser/registry`: what the extension sees of itself and of the pages. */
import { type Browser, REGISTRY_BODY_BYTES } from '../../browser/index.ts';
import { readBody, readObject } from '../body.ts';
import { problem } from '../problem.ts';

export async function browserRegistry(request: Request, browser: Pick<Browser, 'handle'>): Promise<Response> {
  const bytes = await readBody(request, REGISTRY_BODY_BYTES);
  if (!bytes) return problem(413, 'payload_too_large', `A body has at most ${REGISTRY_BODY_BYTES} bytes.`);
  const answer = browser.handle(readObject(bytes));
  if (!answer) return problem(400, 'invalid_params', 'The body fits no operation of the browser registry.');
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}
