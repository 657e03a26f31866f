/**
 * One `tools/call`, whatever brought it: checked, routed, carried to its device, answered as the bytes of a tool result.
 *
 * Decided here: in which order a call is refused, what the edge answers itself, what goes along with a call. Everything
 * that can go wrong with a tool becomes a result with an outcome; only a revoked caller leaves as a 401.
 */
import { type CallEnvelope, classify } from '../../contract/call.ts';
import { canonicalJson, sha256 } from '../../contract/canonical.ts';
import { isEdgeTool } from '../../contract/catalog/index.ts';
import { dispatchId } from '../../contract/ids.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { type CallClass, type Failure, failureResult, isRetryable, type OutcomeCode } from '../../contract/outcome.ts';
import type { EdgePrincipal } from '../auth/index.ts';
import type { Env } from '../env.ts';
import { ANSWER_MARGIN_MS } from '../limits.ts';
import { log } from '../log.ts';
import { type Route, route } from '../routing/index.ts';
import type { CallInput, CallReply } from '../workstation/index.ts';
import { checkCall } from './arguments.ts';
import { callerSession, keyDigest, principalOf, traceparentOf } from './caller.ts';
import { type Caller, carry } from './carry.ts';
import { devicesOf } from './devices.ts';
import { answerAtEdge, edgeMethodOf } from './local/index.ts';
import type { Served } from './served.ts';

export interface ToolCall {
  tool: string;
  args: Record<string, unknown>;
  /** `params._meta` as it came. */
  meta: unknown;
  principal: EdgePrincipal;
  served: Served;
  env: Env;
  traceHeader: string | null;
  /** The caller, to be listened to; asked for only where a call may outlast its patience. */
  caller: () => Caller;
}

export type ToolAnswer =
  | {
      revoked?: false;
      /** A serialised `CallToolResult` without `_meta`. */
      result: Uint8Array;
      /** Members of `_meta.herdr`. */
      herdr: Record<string, unknown>;
      traceparent?: string | undefined;
    }
  | { revoked: true };

const encoder = new TextEncoder();

export async function callTool(call: ToolCall): Promise<ToolAnswer> {
  const startedAtMs = Date.now();
  const args = withTextParams(call.tool, call.args);
  const wrong = checkCall(call.served.contract, call.tool, args);
  if (wrong) return refused(call, wrong);
  const callClass = classify(call.tool, args);
  if (isEdgeTool(call.tool) || edgeMethodOf(call.tool, args) !== undefined) return answerAtEdge({ ...call, args });
  if (call.principal.readOnly && callClass === 'write') return refused(call, READ_ONLY);
  const chosen = await choose(call, args);
  if (!chosen.ok) return refused(call, chosen);
  return forward(call, { deviceId: chosen.deviceId, args: chosen.args, callClass, startedAtMs });
}

export interface Destination {
  deviceId: string;
  args: Record<string, unknown>;
  callClass: CallClass;
  startedAtMs: number;
}

/** Sends a checked and routed call to its device and waits for what becomes of it. */
export async function forward(call: ToolCall, to: Destination): Promise<ToolAnswer> {
  const principal = principalOf(call.principal);
  const traceparent = traceparentOf(call.meta, call.traceHeader);
  const session = await callerSession(principal.id, call.meta);
  const envelope: CallInput['call'] = {
    dispatch_id: dispatchId(to.startedAtMs, crypto.getRandomValues(new Uint8Array(10))),
    tool: call.tool,
    class: to.callClass,
    device_id: to.deviceId,
    principal,
    ...(session === undefined ? {} : { caller_session: session }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const deadlineAtMs = to.startedAtMs + CALL_MS_MAX - ANSWER_MARGIN_MS;
  const input = await pack(envelope, to.args, deadlineAtMs);
  const sentAtMs = Date.now();
  const reply = await carry(call.env, input, worthStopping(envelope) ? call.caller() : undefined);
  if (reply.kind === 'revoked') return { revoked: true };
  tell(envelope, reply, Date.now() - to.startedAtMs);
  const about = { dispatch_id: envelope.dispatch_id, device_id: to.deviceId };
  if (reply.kind === 'failure') {
    return { result: failureResult(reply.failure), herdr: { ...about, delivery: reply.failure.delivery }, traceparent };
  }
  const nowMs = Date.now();
  return {
    result: reply.body,
    herdr: {
      ...about,
      delivery: reply.delivery,
      ...(reply.replayed ? { replayed: true } : {}),
      hops_ms: {
        edge: sentAtMs - to.startedAtMs,
        workstation: nowMs - sentAtMs,
        link: reply.linkMs,
        ...(reply.runtimeMs === undefined ? {} : { runtime: reply.runtimeMs }),
      },
    },
    traceparent,
  };
}

/**
 * Whether the workstation should hear that the caller hung up. A write goes on whoever listens, and a small read is over
 * before the notice arrives; watching every call for it would cost more than it saves.
 */
function worthStopping({ tool, class: callClass }: CallInput['call']): boolean {
  return callClass === 'read' && SLOW_READS.has(tool);
}

const SLOW_READS: ReadonlySet<string> = new Set(['herdr_call', 'herdr_fs_grep', 'herdr_git', 'herdr_fs_image']);

/** One line for what changed something or did not arrive; a read that worked leaves no trace. */
function tell(call: CallInput['call'], reply: Exclude<CallReply, { kind: 'revoked' }>, ms: number): void {
  if (call.class === 'read' && reply.kind === 'result') return;
  log('call', {
    dispatch: call.dispatch_id,
    tool: call.tool,
    class: call.class,
    device: call.device_id,
    principal: call.principal.id,
    ms,
    ...(reply.kind === 'result'
      ? { delivery: reply.delivery, ok: reply.ok }
      : { delivery: reply.failure.delivery, ok: false, code: reply.failure.code }),
  });
}

/** Arguments as bytes. A write takes its digests along; beyond the edge only the digest of its key travels. */
async function pack(
  call: Omit<CallEnvelope, 'contract_epoch' | 'deadline_ms'>,
  args: Record<string, unknown>,
  deadlineAtMs: number,
): Promise<CallInput> {
  if (call.class === 'read') return { call, args: encoder.encode(JSON.stringify(args)), deadlineAtMs };
  const { idempotency_key: key, ...rest } = args;
  const argsDigest = await sha256(canonicalJson(rest));
  if (typeof key !== 'string') return { call, args: encoder.encode(JSON.stringify(args)), deadlineAtMs, argsDigest };
  const digest = await keyDigest(call.principal, key);
  const packed = encoder.encode(JSON.stringify({ ...rest, idempotency_key: digest }));
  return { call, args: packed, deadlineAtMs, argsDigest, keyDigest: digest };
}

/** Where the call goes. A refusal is never given on an old list of devices. */
async function choose(call: ToolCall, args: Record<string, unknown>): Promise<Route> {
  const question = {
    tool: call.tool,
    args,
    boundTo: call.principal.deviceId,
    defaultDevice: call.env.DEFAULT_DEVICE,
  };
  const known = await devicesOf(call.env);
  const chosen = route({ ...question, devices: known.devices });
  if (chosen.ok || known.fresh) return chosen;
  const { devices } = await devicesOf(call.env, { fresh: true });
  return route({ ...question, devices });
}

export interface Refused {
  code: OutcomeCode;
  message: string;
  next: string;
  details?: Record<string, unknown> | undefined;
}

const READ_ONLY: Refused = {
  code: 'connector_read_only',
  message: 'This connection is approved for reading only. Nothing was sent.',
  next: 'Use reading tools, or ask the owner to approve a connection that may also change things.',
};

/** A call that the edge itself refuses: certainly not delivered. */
export function refused(call: Pick<ToolCall, 'tool' | 'args'>, { code, message, next, details }: Refused): ToolAnswer {
  const failure: Failure = {
    ok: false,
    code,
    message,
    delivery: 'not_delivered',
    retryable: isRetryable(classify(call.tool, call.args), code, 'not_delivered'),
    next,
    ...(details === undefined ? {} : { details }),
  };
  return { result: failureResult(failure), herdr: { delivery: 'not_delivered' } };
}

/** Some hosts send `herdr_call`'s params as the object that the text would hold; it means the same. */
function withTextParams(tool: string, args: Record<string, unknown>): Record<string, unknown> {
  const { params } = args;
  if (tool !== 'herdr_call' || typeof params !== 'object' || params === null || Array.isArray(params)) return args;
  return { ...args, params: JSON.stringify(params) };
}
