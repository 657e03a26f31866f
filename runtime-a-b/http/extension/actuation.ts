/** `POST /extension/browser/actuation`: a browser takes what waits for it, and says what came of it. */
import { ACTUATION_BODY_BYTES, type Dispatches } from '../../browser/index.ts';
import { readBody, readObject } from '../body.ts';
import { problem } from '../problem.ts';

export async function browserActuation(request: Request, dispatches: Pick<Dispatches, 'actuate'>): Promise<Response> {
  const bytes = await readBody(request, ACTUATION_BODY_BYTES);
  if (!bytes) return problem(413, 'payload_too_large', `A body has at most ${ACTUATION_BODY_BYTES} bytes.`);
  const answer = dispatches.actuate(readObject(bytes));
  if (!answer) return problem(400, 'invalid_params', 'The body fits no operation of this route.');
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}
