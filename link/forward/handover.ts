/** Takes one call to the runtime and brings its result back, through lost connections and changes of generation. */
import type { ResultEnvelope } from '../../contract/call.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { failureResult, type OutcomeError } from '../../contract/outcome.ts';
import { OVERDUE_GRACE_MS } from '../limits.ts';
import { adviceFor, afterAnswer, cancelledWhileWaiting, type SoFar, tooLate } from './attempts.ts';
import type { Dispatch, Kept } from './dispatches.ts';
import type { Lease, Leases } from './leases.ts';
import type { Answer, RuntimeClient } from './runtime-client.ts';

export interface HandoverDeps {
  leases: Leases;
  client: RuntimeClient;
  /** Monotonic ms. */
  now: () => number;
  /** Resolves after `ms`, or at once when the link is closed. */
  pause: (ms: number) => Promise<void>;
  /** The link is closing: results no longer matter here, the runtime keeps them. */
  closed: () => boolean;
  /** Called when the first byte is about to leave. */
  begun: () => void;
  /** False when there is no room for a result of so many bytes. */
  reserve: (bytes: number) => boolean;
}

/** An adopted dispatch has no deadline that we know: its caller's edge decides what it is still worth. */
const ADOPTED_PATIENCE_MS = 60_000;

/**
 * Runs the attempts of one dispatch. Resolves with what the edge gets, with `undefined` when the link was closed
 * meanwhile, or with `'forgotten'` when a write of an earlier link process is held by nobody any more: the ledger keeps
 * writes until they are acknowledged, so somebody has its result. `generation` is the one that the call must go to.
 */
export async function handOver(
  dispatch: Dispatch,
  generation: string | undefined,
  deps: HandoverDeps,
): Promise<Kept | 'forgotten' | undefined> {
  const { now } = deps;
  const beganMs = now();
  const patienceMs = patienceOf(dispatch);
  const dueMs = dispatch.receivedMs + patienceMs;
  if (dispatch.call !== undefined && dueMs <= beganMs) return failed(dispatch, tooLate());
  let lease: Lease | undefined;
  let maybeSent = dispatch.call === undefined;
  let begun = false;
  /** It has finished, and its result had no room here. */
  let roomless: Extract<Answer, { kind: 'no_room' }> | undefined;
  try {
    for (let attempts = 0; !deps.closed(); attempts += 1) {
      const leased = lease ?? (await leaseFor(deps.leases, generation, dispatch.sentToBoot));
      if (dispatch.cancelled && !begun) return failed(dispatch, cancelledWhileWaiting());
      if (!isAnswer(leased)) {
        lease = leased;
        if (!begun) deps.begun();
        begun = true;
      }
      // Asking again has all of it sent again, so the room comes first.
      const stillNone = roomless !== undefined && !deps.reserve(roomless.size) ? roomless : undefined;
      const answer =
        stillNone ?? (isAnswer(leased) ? leased : await attempt(dispatch, leased, deps, dueMs - now(), maybeSent));
      if (answer.kind === 'lost' || answer.kind === 'no_room') maybeSent = true;
      if (answer.kind === 'no_room') roomless = answer;
      if (isForgotten(answer, dispatch)) return 'forgotten';
      const soFar: SoFar = { maybeSent, attempts, triedMs: now() - beganMs, remainingMs: dueMs - now() };
      const step = afterAnswer(answer, soFar);
      if (step.do === 'finish') return { envelope: step.answer.envelope, body: step.answer.body };
      if (step.do === 'fail') return failed(dispatch, step.error);
      if (step.at === 'active') {
        lease?.release();
        lease = undefined;
      }
      await deps.pause(step.afterMs);
    }
    return undefined;
  } finally {
    lease?.release();
  }
}

/** No call waits longer than the longest, whatever its frame says: a timer takes a far larger number for none at all. */
const patienceOf = ({ call }: Dispatch): number =>
  call === undefined ? ADOPTED_PATIENCE_MS : Math.min(call.envelope.deadline_ms, CALL_MS_MAX);

/** A lease, or why there is none. A generation that is gone took its processes with it; their output others can read. */
async function leaseFor(leases: Leases, generation: string | undefined, boot?: string): Promise<Lease | Answer> {
  try {
    const living = boot === undefined ? undefined : await leaseOnBoot(leases, boot);
    if (living) return living;
    const named = generation === undefined ? undefined : await leases.named(generation);
    return named ?? (await leases.active()) ?? { kind: 'not_sent', message: 'no generation is active' };
  } catch (error) {
    return { kind: 'not_sent', message: error instanceof Error ? error.message : 'the pointer cannot be read' };
  }
}

/** The process of this boot, while it lives: what still waits in its sockets only that process can keep from running. */
async function leaseOnBoot(leases: Leases, boot: string): Promise<Lease | undefined> {
  for (const generation of ['a', 'b']) {
    const lease = await leases.named(generation);
    if (lease?.bootId === boot) return lease;
    lease?.release();
  }
  return undefined;
}

function isForgotten(answer: Answer, dispatch: Dispatch): boolean {
  return (
    dispatch.call === undefined &&
    dispatch.sentToBoot === undefined &&
    dispatch.class === 'write' &&
    answer.kind === 'refused' &&
    answer.status === 404
  );
}

function isAnswer(leased: Lease | Answer): leased is Answer {
  return 'kind' in leased;
}

async function attempt(
  dispatch: Dispatch,
  lease: Lease,
  { client, reserve }: HandoverDeps,
  remainingMs: number,
  maybeSent: boolean,
): Promise<Answer> {
  dispatch.endpoint = lease.endpoint;
  dispatch.generation = lease.generation;
  const bounds = { timeoutMs: Math.max(1, remainingMs + OVERDUE_GRACE_MS), reserve };
  if (dispatch.sentToBoot !== undefined) {
    return client.settle(lease.endpoint, dispatch.id, dispatch.sentToBoot, bounds);
  }
  // After the deadline a call may be joined, but must not begin any more.
  if (dispatch.call === undefined || (maybeSent && remainingMs < 1)) {
    return client.join(lease.endpoint, dispatch.id, bounds);
  }
  const envelope = { ...dispatch.call.envelope, deadline_ms: Math.max(1, Math.floor(remainingMs)) };
  return client.call(lease.endpoint, envelope, dispatch.call.args, bounds);
}

/** A failure of the link's own, as the result that the runtime would have written. */
export function failed(dispatch: Pick<Dispatch, 'id' | 'class'>, error: OutcomeError): Kept {
  const { class: callClass, id } = dispatch;
  const body = failureResult({ ...error.toFailure(callClass, id), next: adviceFor(error, callClass, id) });
  const envelope: ResultEnvelope = {
    dispatch_id: id,
    delivery: error.delivery,
    ok: false,
    code: error.code,
    size: body.length,
  };
  return { envelope, body };
}
