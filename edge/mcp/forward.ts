/** Sending a checked and routed call to its device, and putting what came back into an answer. */
import type { CallEnvelope } from '../../contract/call.ts';
import { canonicalJson, sha256 } from '../../contract/canonical.ts';
import { dispatchId } from '../../contract/ids.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { type CallClass, failureResult } from '../../contract/outcome.ts';
import { ANSWER_MARGIN_MS } from '../limits.ts';
import { log } from '../log.ts';
import type { CallInput, CallReply } from '../workstation/index.ts';
import { callerSession, keyDigest, principalOf, traceparentOf } from './caller.ts';
import { carry } from './carry.ts';
import type { ToolAnswer, ToolCall } from './tool-call.ts';

const encoder = new TextEncoder();

export interface Destination {
  deviceId: string;
  args: Record<string, unknown>;
  callClass: CallClass;
  startedAtMs: number;
  /** When to stop waiting, if before the longest time that a call may take. */
  deadlineAtMs?: number;
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
  const deadlineAtMs = to.deadlineAtMs ?? to.startedAtMs + CALL_MS_MAX - ANSWER_MARGIN_MS;
  const input = await pack(envelope, to.args, deadlineAtMs);
  const sentAtMs = Date.now();
  const reply = await carry(call.env, input, worthStopping(envelope) ? call.caller() : undefined);
  if (reply.kind === 'revoked') return { revoked: true };
  // Nobody at a workstation has seen this call, so nobody there has refused a revoked caller.
  const unseen = reply.kind === 'failure' && reply.failure.delivery === 'not_delivered';
  if (unseen && !(await call.stillApproved())) return { revoked: true };
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
