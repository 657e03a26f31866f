import { Hono } from 'hono';
import { DISPATCH_ID } from '../contract/ids.ts';
import type { Env } from './env.ts';
import { authenticateDevice } from './fleet/index.ts';
import { privateJson, refusal, refuse } from './http/index.ts';
import { RECEIPTS_LISTED_MAX } from './limits.ts';
import type { ReceiptQuery } from './workstation/index.ts';

/**
 * The receipts of a workstation's writes, whoever asked for them, for that workstation alone. A connector asks with
 * `herdr_mcp.dispatch.status` and sees its own.
 */
export const dispatches = new Hono<{ Bindings: Env }>();

/** Without a question: the last few, as at the tool. */
const LAST_DEFAULT = '10';

dispatches.get('/dispatches', async (c) => {
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  const query = queryOf(c.req.query('dispatch_id'), c.req.query('last') ?? LAST_DEFAULT);
  if (query === undefined) return refuse(BAD_QUERY, Date.now());
  const listed = await c.env.WORKSTATION.getByName(self.deviceId).receiptsOfAll(query);
  return privateJson({ ok: true, dispatches: listed, observed_at_ms: Date.now() });
});

const BAD_QUERY = refusal(
  'bad_request',
  `GET /dispatches takes dispatch_id (d_ and 32 hex digits) or last (1 to ${RECEIPTS_LISTED_MAX}). Nothing was looked up.`,
  'Ask with one of the two.',
);

function queryOf(dispatchId: string | undefined, last: string): ReceiptQuery | undefined {
  if (dispatchId !== undefined) return DISPATCH_ID.test(dispatchId) ? { dispatchId } : undefined;
  const count = Number(last);
  return Number.isInteger(count) && count >= 1 && count <= RECEIPTS_LISTED_MAX ? { last: count } : undefined;
}
