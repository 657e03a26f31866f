/**
 * `POST /extension/continuity/turn` and `/resolve`: the journal's way in, and the live answer to "which chain is this?".
 * A turn is durable only when the answer is 200 with `ok: true`; the extension repeats it until then, which is harmless
 * because the journal knows each message by its id.
 */
import { randomBytes } from 'node:crypto';
import { dispatchId } from '../../../contract/ids.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { MethodContext } from '../../continuity/index.ts';
import { EXTENSION_BODY_BYTES_MAX } from '../../limits.ts';
import { readBody, readObject } from '../body.ts';
import type { HttpParts } from '../parts.ts';
import { problem } from '../problem.ts';

export type ContinuityDoor = Pick<HttpParts, 'continuity' | 'live' | 'deviceId' | 'nowMs'>;

/** Appends one finalized turn. */
export async function continuityTurn(request: Request, door: ContinuityDoor): Promise<Response> {
  return answered(request, (body) => door.continuity.acceptTurn(body, contextOf(door)));
}

/** Answers from the database as it is now, never from what was said before. */
export async function continuityResolve(request: Request, door: ContinuityDoor): Promise<Response> {
  const resolve = door.continuity.methods['continuity.resolve'];
  if (!resolve) throw new Error('the table of methods has no continuity.resolve');
  return answered(request, (body) => resolve.run(body, contextOf(door)));
}

async function answered(request: Request, act: (body: Record<string, unknown>) => Promise<object>): Promise<Response> {
  const bytes = await readBody(request, EXTENSION_BODY_BYTES_MAX);
  if (!bytes) return problem(413, 'payload_too_large', `A body has at most ${EXTENSION_BODY_BYTES_MAX} bytes.`);
  const body = readObject(bytes);
  if (!body) return problem(400, 'invalid_params', 'The body is no JSON object.');
  try {
    return Response.json({ ok: true, ...(await act(body)) }, NO_STORE);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    const { code, message, next, details } = error;
    if (code === 'invalid_params') return problem(400, code, message);
    return Response.json({ ok: false, code, message, next, ...details }, NO_STORE);
  }
}

const NO_STORE = { headers: { 'cache-control': 'no-store' } };

function contextOf({ deviceId, nowMs, live }: ContinuityDoor): MethodContext {
  return {
    dispatchId: dispatchId(nowMs(), randomBytes(10)),
    principal: { kind: 'local', id: 'extension' },
    deviceId,
    nowMs,
    live,
  };
}
