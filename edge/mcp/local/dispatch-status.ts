/**
 * `herdr_mcp.dispatch.status`: what became of earlier writes, from the edge's receipts, merged with the runtime's ledger
 * of each device whose link is up.
 *
 * Every write is written down here before it is sent, so a key or id without a receipt was never received, and that is
 * what is said, with the time up to which it is true. The same holds while no workstation is connected.
 */
import { entryOfReceipt } from '../../../contract/fleet/index.ts';
import { DISPATCH_ID } from '../../../contract/ids.ts';
import { afterLookUp } from '../../../contract/look-up.ts';
import { RECEIPTS_LISTED_MAX } from '../../limits.ts';
import { logFault } from '../../log.ts';
import { type RoutableDevice, route } from '../../routing/index.ts';
import type { Receipt, ReceiptQuery } from '../../workstation/index.ts';
import { keyDigest } from '../caller.ts';
import { devicesOf } from '../devices.ts';
import { forward } from '../forward.ts';
import { bodyIn, okResult } from '../result.ts';
import { type Refused, refused, type ToolAnswer, type ToolCall } from '../tool-call.ts';

interface Found {
  device: RoutableDevice;
  receipts: Receipt[];
  connected: boolean;
}

type Entry = Record<string, unknown>;

export async function dispatchStatus(call: ToolCall, params: Record<string, unknown>): Promise<ToolAnswer> {
  const lookedUpToMs = Date.now();
  const query = await queryIn(call, params);
  if ('code' in query) return refused(call, query);
  const devices = await devicesToAsk(call);
  if ('code' in devices) return refused(call, devices);
  const found = await Promise.all(devices.map((device) => ask(call, device, query.edge)));
  if (found.some((answer) => answer === 'revoked')) return { revoked: true };
  const answered = found.filter((answer): answer is Found => answer !== 'revoked' && answer !== undefined);
  const unanswered = devices.filter((device) => !answered.some((answer) => answer.device === device));
  const merged = await Promise.all(answered.map((answer) => merge(call, answer, query.forward)));
  const entries = merged
    .flatMap(({ entries }) => entries)
    .sort(newestFirst)
    .slice(0, RECEIPTS_LISTED_MAX);
  const told = {
    looked_up_to_ms: lookedUpToMs,
    ...(unanswered.length > 0 ? { not_answered: unanswered.map(({ device_id }) => device_id) } : {}),
    ...(merged.some(({ ledger }) => !ledger) ? { ledger: 'not reached: these are the receipts of the edge' } : {}),
  };
  if (entries.length > 0 || 'last' in query.edge)
    return { result: okResult({ found: entries.length > 0, dispatches: entries, ...told }), herdr: {} };
  if (unanswered.length > 0) return refused(call, { ...CANNOT_SAY, details: told });
  const what = 'keyDigest' in query.edge ? 'key' : 'id';
  return {
    result: okResult({
      found: false,
      dispatches: [],
      message: `No dispatch with this ${what} was received.`,
      delivery: 'not_delivered',
      next:
        what === 'key'
          ? 'The call may be sent now; with the same key it runs once.'
          : 'Check the id. Receipts are kept for 24 hours, and only this connection sees its own; reads have none.',
      ...told,
    }),
    herdr: {},
  };
}

const CANNOT_SAY: Refused = {
  code: 'internal_error',
  message: 'The receipts of a workstation could not be read just now, so nobody can say. Nothing was changed.',
  next: 'Ask again in a few seconds.',
};

/** The same question twice: for our receipts, and as params for the runtime. */
async function queryIn(
  call: ToolCall,
  { dispatch_id, idempotency_key, last, ...others }: Record<string, unknown>,
): Promise<{ edge: ReceiptQuery; forward: Record<string, unknown> } | Refused> {
  const given = [dispatch_id, idempotency_key, last].filter((value) => value !== undefined).length;
  if (given > 1 || Object.keys(others).length > 0) return BAD_QUERY;
  if (typeof dispatch_id === 'string' && DISPATCH_ID.test(dispatch_id)) {
    return { edge: { dispatchId: dispatch_id }, forward: { dispatch_id } };
  }
  if (typeof idempotency_key === 'string' && idempotency_key !== '') {
    const digest = await keyDigest(call.principal, idempotency_key);
    return { edge: { keyDigest: digest }, forward: { idempotency_key: digest } };
  }
  const count = given === 0 ? LAST_DEFAULT : last;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > RECEIPTS_LISTED_MAX)
    return BAD_QUERY;
  return { edge: { last: count }, forward: { last: count } };
}

/** Without a question the caller wants to see what it has just done. */
const LAST_DEFAULT = 10;

const BAD_QUERY: Refused = {
  code: 'invalid_params',
  message: `params take one of: dispatch_id (d_ and 32 hex digits), idempotency_key (text), last (1 to ${RECEIPTS_LISTED_MAX}). Nothing was looked up.`,
  next: 'Ask with one of the three.',
};

/** The device that the call names; without a selector every one that this caller may reach, for an id says nothing of its device. */
async function devicesToAsk(call: ToolCall): Promise<readonly RoutableDevice[] | Refused> {
  const { devices } = await devicesOf(call.env, { fresh: true });
  const { deviceId: boundTo } = call.principal;
  if (typeof call.args.device === 'string') {
    const chosen = route({ tool: call.tool, args: { device: call.args.device }, devices, boundTo });
    if (chosen.ok) return devices.filter((device) => device.device_id === chosen.deviceId);
    // A paused or revoked device takes no calls, but what it did can still be looked up.
    const known = devices.filter(({ device_id, name }) => device_id === call.args.device || name === call.args.device);
    const named = known.filter(({ device_id }) => boundTo === undefined || device_id === boundTo);
    return named.length === 1 ? named : chosen;
  }
  return devices.filter(({ device_id }) => boundTo === undefined || device_id === boundTo);
}

async function ask(
  call: ToolCall,
  device: RoutableDevice,
  query: ReceiptQuery,
): Promise<Found | 'revoked' | undefined> {
  try {
    const answer = await call.env.WORKSTATION.getByName(device.device_id).lookUp(query, call.principal.id);
    return 'revoked' in answer ? 'revoked' : { device, receipts: answer.receipts, connected: answer.connected };
  } catch (error) {
    logFault('workstation.lookUp', error, { device: device.device_id });
    return undefined;
  }
}

/** Our receipts with what the runtime knows besides; its word on what ran is the better one. */
async function merge(
  call: ToolCall,
  { device, receipts, connected }: Found,
  params: Record<string, unknown>,
): Promise<{ entries: Entry[]; ledger: boolean }> {
  const entries = new Map(receipts.map((receipt) => [receipt.dispatch_id, entryOf(receipt, device)]));
  const usable = connected && device.authorization === 'active' && !device.paused;
  const local = usable ? await askRuntime(call, device, params) : undefined;
  for (const known of local ?? []) {
    const id = known.dispatch_id as string;
    entries.set(id, { ...entries.get(id), device_id: device.device_id, ...known });
  }
  return {
    entries: [...entries.values()].map((entry) => advised(entry, local !== undefined)),
    ledger: local !== undefined || receipts.length === 0,
  };
}

/** With what to do about it, by what both know; a runtime's own advice knows less. */
function advised({ next: _, ...entry }: Entry, ledger: boolean): Entry {
  const { state, delivery } = entry;
  const next = afterLookUp({ state, delivery }, ledger);
  return next === undefined ? entry : { ...entry, next };
}

function entryOf({ result_digest, ...receipt }: Receipt, { device_id }: RoutableDevice): Entry {
  return { ...entryOfReceipt(receipt), device_id, ...(result_digest === null ? {} : { result_digest }) };
}

/** The runtime's own entries; `undefined` when it could not be asked or does not know the method. */
async function askRuntime(
  call: ToolCall,
  device: RoutableDevice,
  params: Record<string, unknown>,
): Promise<Entry[] | undefined> {
  const args = { method: call.args.method, params: JSON.stringify(params) };
  const to = { deviceId: device.device_id, args, callClass: 'read', startedAtMs: Date.now() } as const;
  const answer = await forward(call, to);
  if (answer.revoked) return undefined;
  const body = bodyIn(answer.result);
  if (body?.ok !== true) return undefined;
  const listed = Array.isArray(body.dispatches) ? body.dispatches : [body.dispatch];
  const entries = listed.filter(
    (entry): entry is Entry =>
      typeof entry === 'object' && entry !== null && typeof (entry as Entry).dispatch_id === 'string',
  );
  // Of a single one it also has the answer, which its caller may never have heard.
  const [only] = entries;
  return only && !Array.isArray(body.dispatches) && 'result' in body ? [{ ...only, result: body.result }] : entries;
}

const newestFirst = (a: Entry, b: Entry) => String(b.dispatch_id).localeCompare(String(a.dispatch_id));
