/** The internal routes for the link, as `contract/link/route.ts` describes them. */
import { Hono } from 'hono';
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { BODY_BYTES_MAX } from '../../contract/limits.ts';
import {
  AckRequest,
  type CancelAnswer,
  CancelRequest,
  type Held,
  packHead,
  RevokeRequest,
  ROUTE,
  SettleRequest,
  unpackCall,
} from '../../contract/link/index.ts';
import type { Finished } from '../operations/index.ts';
import { readBody, readObject } from './body.ts';
import { PACKED_CALL_BYTES_MAX, runCall } from './packed-call.ts';
import type { HttpParts } from './parts.ts';
import { problem } from './problem.ts';

export function linkRoutes(parts: HttpParts): Hono {
  const { dispatcher, revocations, nowMs } = parts;
  const app = new Hono();

  app.get(ROUTE.facts, (c) => c.json(parts.facts()));

  app.post(ROUTE.call, async (c) => {
    const bytes = await readBody(c.req.raw, PACKED_CALL_BYTES_MAX);
    if (!bytes) return problem(413, 'payload_too_large', `A call is at most ${PACKED_CALL_BYTES_MAX} bytes.`);
    const call = unpackCall(bytes);
    if (!call.ok) return problem(400, 'invalid_params', `The packed call is broken: ${call.message}.`);
    return packed(await runCall(call, dispatcher));
  });

  app.get(ROUTE.held, (c) => {
    const held: Held = { boot_id: parts.facts().boot_id, held: dispatcher.held() };
    return c.json(held);
  });

  app.get(`${ROUTE.held}/:id`, async (c) => {
    const finished = await dispatcher.result(c.req.param('id'));
    return finished ? packed(finished) : problem(404, 'dispatch_not_found', 'This dispatch is not held here.');
  });

  app.post(ROUTE.cancel, async (c) => {
    const request = await checked<CancelRequest>(c.req.raw, CancelRequest);
    if (request instanceof Response) return request;
    const answer: CancelAnswer = { ok: true, cancelled: dispatcher.cancel(request.dispatch_id) };
    return c.json(answer);
  });

  app.post(ROUTE.settle, async (c) => {
    const request = await checked<SettleRequest>(c.req.raw, SettleRequest);
    if (request instanceof Response) return request;
    const known = await dispatcher.settle(request.dispatch_id, request.boot_id);
    if (known === 'foreign') return problem(404, 'dispatch_not_found', 'This ledger does not know that boot.');
    if (known === 'elsewhere') return problem(503, 'idempotency_in_flight', 'Another process may still have it.');
    return packed(known);
  });

  app.post(ROUTE.ack, async (c) => {
    const request = await checked<AckRequest>(c.req.raw, AckRequest);
    if (request instanceof Response) return request;
    dispatcher.acknowledge(request.dispatch_ids);
    return c.body(null, 204);
  });

  app.post(ROUTE.revoke, async (c) => {
    const request = await checked<RevokeRequest>(c.req.raw, RevokeRequest);
    if (request instanceof Response) return request;
    revocations.revoke(request.connector_id, nowMs());
    return c.body(null, 204);
  });

  return app;
}

function packed({ envelope, body }: Finished): Response {
  const head = packHead(envelope);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return new Response(bytes, { headers: { 'content-type': 'application/octet-stream' } });
}

async function checked<T>(request: Request, schema: TSchema): Promise<T | Response> {
  const bytes = await readBody(request, BODY_BYTES_MAX);
  if (!bytes) return problem(413, 'payload_too_large', `The body is at most ${BODY_BYTES_MAX} bytes.`);
  const value = readObject(bytes);
  if (value && Value.Check(schema, value)) return value as T;
  return problem(400, 'invalid_params', 'The body does not fit this route.');
}
