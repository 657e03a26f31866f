import type { Static, TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { ADMIN_BODY_BYTES, refusal, refuse, textUpTo } from '../http/index.ts';

/** The body of a fleet request as `schema` describes it, or the finished refusal: 413 above 8 KiB, 400 otherwise. */
export async function bodyOf<S extends TSchema>(
  request: Request,
  schema: S,
): Promise<{ ok: true; body: Static<S> } | { ok: false; response: Response }> {
  const text = await textUpTo(request, ADMIN_BODY_BYTES);
  if (text === undefined) {
    return refused('payload_too_large', `The body is larger than ${ADMIN_BODY_BYTES} bytes. Nothing was changed.`);
  }
  let parsed: unknown;
  try {
    parsed = text === '' ? {} : JSON.parse(text);
  } catch {
    return refused('bad_request', 'The body is not JSON. Nothing was changed.');
  }
  if (Value.Check(schema, parsed)) return { ok: true, body: parsed };
  const [problem] = Value.Errors(schema, parsed);
  const where = problem?.instancePath || 'the body';
  return refused('bad_request', `${where}: ${problem?.message ?? 'has the wrong shape'}. Nothing was changed.`);
}

function refused(code: 'bad_request' | 'payload_too_large', message: string): { ok: false; response: Response } {
  const next = 'Send what this route documents; the herdr-mcp command of the same release does.';
  return { ok: false, response: refuse(refusal(code, message, next), Date.now()) };
}
