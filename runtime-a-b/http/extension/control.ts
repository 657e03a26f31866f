/**
 * `POST /extension/control/action`, `/lookup` and `/watch`: what a person does, and looks at, from the Side Panel. What
 * became of an action is read from its recorded outcome, so the answer to the first request, to a repeated one and to a
 * look-up are the same answer.
 */
import * as Value from 'typebox/value';
import {
  CONTROL_ACTIONS,
  CONTROL_OUTCOMES,
  type ControlAnswer,
  type ControlOutcome,
  type ControlRequest,
  ControlTarget,
  type DeliveryPhase,
  isControlAction,
  isReadAction,
  type LookupAnswer,
  LookupRequest,
  RAW_CONTROL,
  RISK_OF,
  WatchRequest,
} from '../../../contract/control/index.ts';
import { CURRENT_RUNTIME } from '../../../contract/epochs/index.ts';
import { dispatchId } from '../../../contract/ids.ts';
import { isObject } from '../../../contract/json.ts';
import type { Delivery } from '../../../contract/outcome.ts';
import { CONTROL_BODY_BYTES_MAX, CONTROL_MS } from '../../limits.ts';
import { type Operation, resultJson } from '../../operations/index.ts';
import { CONTROL_PRINCIPAL, CONTROL_TOOL } from '../../tools/index.ts';
import { flawOf } from '../../well-formed.ts';
import { readBody, readObject } from '../body.ts';
import type { HttpParts } from '../parts.ts';
import { problem } from '../problem.ts';
import type { PushFeed } from '../push/index.ts';
import { Randomness } from '../randomness.ts';

export type ControlDoor = Pick<HttpParts, 'dispatcher' | 'deviceId' | 'nowMs' | 'recorded'>;

const NO_STORE = { headers: { 'cache-control': 'no-store' } };
const randomness = new Randomness();

export async function controlAction(request: Request, door: ControlDoor): Promise<Response> {
  const body = await bodyOf(request);
  if (body instanceof Response) return body;
  const action = typeof body['action'] === 'string' ? body['action'] : '';
  if (action === '') return problem(400, 'invalid_params', 'The body names no action. Nothing was done.');
  if (!isControlAction(action)) return Response.json(described(action, body), NO_STORE);
  const schema = CONTROL_ACTIONS[action];
  if (!Value.Check(schema, body)) {
    const [first] = Value.Errors(schema, body);
    const where = first?.instancePath || 'The body';
    return problem(400, 'invalid_params', `${where}: ${first?.message ?? 'has another shape'}. Nothing was done.`);
  }
  const flaw = flawOf(body);
  if (flaw !== undefined) return problem(400, 'invalid_params', `The body: ${flaw}. Nothing was done.`);
  return Response.json(await carriedOut(body as ControlRequest, door), NO_STORE);
}

async function carriedOut(request: ControlRequest, door: ControlDoor): Promise<ControlAnswer> {
  const callClass = isReadAction(request.action) ? 'read' : 'write';
  const envelope = {
    dispatch_id: dispatchId(door.nowMs(), randomness.take(10)),
    tool: CONTROL_TOOL,
    class: callClass,
    device_id: door.deviceId,
    principal: CONTROL_PRINCIPAL,
    contract_epoch: CURRENT_RUNTIME.epoch,
    deadline_ms: CONTROL_MS,
  } as const;
  const { envelope: result, body } = await door.dispatcher.submit(envelope, request, callClass, 'loopback');
  return answerOf(request.action, request.target, result.ok, result.delivery, resultJson(body));
}

export async function controlLookup(request: Request, door: ControlDoor): Promise<Response> {
  const body = await bodyOf(request);
  if (body instanceof Response) return body;
  if (!Value.Check(LookupRequest, body)) return problem(400, 'invalid_params', 'The body names no idempotency_key.');
  return Response.json(lookedUp(door.recorded(CONTROL_PRINCIPAL, body.idempotency_key)), NO_STORE);
}

function lookedUp(found: { operation: Operation; body: Uint8Array | undefined } | undefined): LookupAnswer {
  if (!found) return { ok: true, state: 'unknown' };
  const { operation, body } = found;
  if (operation.state === 'running' || !body) return { ok: true, state: 'running' };
  const { method, delivery, ok } = operation;
  const known: Delivery = delivery === 'delivered' || delivery === 'not_delivered' ? delivery : 'unknown';
  return { ok: true, state: 'settled', answer: answerOf(method ?? '', null, ok === true, known, resultJson(body)) };
}

/** Notes what the person looks at. Nothing is answered but that it was heard. */
export async function controlWatch(request: Request, push: Pick<PushFeed, 'watch'>): Promise<Response> {
  const body = await bodyOf(request);
  if (body instanceof Response) return body;
  if (!Value.Check(WatchRequest, body)) return problem(400, 'invalid_params', 'The body is no list of panes.');
  push.watch(body.watcher, body.panes);
  return Response.json({ ok: true }, NO_STORE);
}

/** The outcome in the person's words of the contract. Unknown stays unknown: it never becomes rejected. */
function answerOf(
  action: string,
  target: ControlTarget | null,
  ok: boolean,
  delivery: Delivery,
  json: unknown,
): ControlAnswer {
  const body = isObject(json) ? json : {};
  const told = (name: string) => (typeof body[name] === 'string' ? { [name]: body[name] } : {});
  const about = { ...told('dispatch_id'), ...told('code'), ...told('message'), ...told('next') };
  if (ok) {
    const outcome = CONTROL_OUTCOMES.find((one) => one === body['outcome']) ?? 'uncertain';
    const evidence = isObject(body['evidence']) ? { evidence: body['evidence'] } : {};
    const phase = PHASE_OF[outcome];
    const seen = phase === 'submitted' && body['observed'] === true ? 'observed' : phase;
    return { ok: DONE.has(outcome), action, outcome, delivery_phase: seen, target, ...about, ...evidence };
  }
  const stale = typeof body['stale_reason'] === 'string';
  const outcome = stale && delivery === 'not_delivered' ? 'stale_target' : FAILED[delivery];
  const evidence = evidenceOf(body);
  return { ok: false, action, outcome, delivery_phase: PHASE_OF[outcome], target, ...about, ...evidence };
}

const FAILED = { not_delivered: 'rejected', delivered: 'failed', unknown: 'uncertain' } as const satisfies Record<
  Delivery,
  ControlOutcome
>;

const DONE: ReadonlySet<ControlOutcome> = new Set(['read', 'submitted', 'queued']);

const PHASE_OF: Readonly<Record<ControlOutcome, DeliveryPhase>> = {
  read: 'observed',
  submitted: 'submitted',
  queued: 'submitted',
  failed: 'submitted',
  uncertain: 'uncertain',
  rejected: 'not_submitted',
  stale_target: 'not_submitted',
  session_not_resolved: 'not_submitted',
  no_active_turn: 'not_submitted',
  unsupported_provider: 'not_submitted',
  no_agent: 'not_submitted',
  raw_terminal_control_disabled: 'not_submitted',
  preview: 'not_submitted',
};

/** What a failure says beside its words: why a target is stale, what was seen before and after. */
function evidenceOf(body: Record<string, unknown>): { evidence?: Record<string, unknown> } {
  const names = ['stale_reason', 'before', 'after', 'turn_start', 'whose', 'evidence', 'herdr_code'];
  const facts = names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]));
  return facts.length === 0 ? {} : { evidence: Object.fromEntries(facts) };
}

/** Everything else is described and never carried out. */
function described(action: string, body: Record<string, unknown>): ControlAnswer {
  const target = Value.Check(ControlTarget, body['target']) ? body['target'] : null;
  if (RAW_CONTROL.has(action)) {
    return {
      ok: false,
      action,
      outcome: 'raw_terminal_control_disabled',
      delivery_phase: 'not_submitted',
      target,
      message: 'Raw text and keys are never sent into a terminal from here. Nothing was done.',
      next: 'Use the prompt, the input line of a terminal, or herdr-mcp herdr attach.',
    };
  }
  const args = isObject(body['args']) ? body['args'] : {};
  const method = action === 'herdr_method' && typeof args['method'] === 'string' ? args['method'] : action;
  const preview = {
    mode: 'dry_run',
    executable: false,
    method: method.slice(0, METHOD_CHARS_MAX),
    risk: isControlAction(method) ? RISK_OF[method] : 'UNKNOWN',
    params: Object.keys(args).slice(0, PARAMS_NAMED),
  };
  return {
    ok: false,
    action: action.slice(0, METHOD_CHARS_MAX),
    outcome: 'preview',
    delivery_phase: 'not_submitted',
    target,
    message: 'This is described only; nothing was done.',
    next: 'herdr_call carries out methods of Herdr, or herdr-mcp herdr in a terminal.',
    evidence: preview,
  };
}

/** A description names what was meant, not more. */
const METHOD_CHARS_MAX = 64;
const PARAMS_NAMED = 16;

async function bodyOf(request: Request): Promise<Record<string, unknown> | Response> {
  const bytes = await readBody(request, CONTROL_BODY_BYTES_MAX);
  if (!bytes) return problem(413, 'payload_too_large', `A body has at most ${CONTROL_BODY_BYTES_MAX} bytes.`);
  const body = readObject(bytes);
  return body ?? problem(400, 'invalid_params', 'The body is no JSON object. Nothing was done.');
}
