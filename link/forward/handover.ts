/** Takes one call to the runtime and brings its result back, through lost connections and changes of generation. */
import type { ResultEnvelope } from '../../contract/call.ts';
import { failureResult, type OutcomeError } from '../../contract/outcome.ts';
import { OVERDUE_GRACE_MS } from '../limits.ts';
import { afterAnswer, type SoFar, tooLate } from './attempts.ts';
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
}

/** An adopted dispatch has no deadline that we know: its caller's edge decides what it is still worth. */
const ADOPTED_PATIENCE_MS = 60_000;

/**
 * Runs the attempts of one dispatch. `begun` is called before the first byte leaves. Resolves with what the edge gets,
 * or with `undefined` when the link was closed meanwhile. `generation` is the one that the call must go to, if any.
 */
export async function handOver(
  dispatch: Dispatch,
  generation: string | undefined,
  deps: HandoverDeps,
  begun: () => void,
): Promise<Kept | undefined> {
  const { now, client } = deps;
  const beganMs = now();
  const patienceMs = dispatch.call?.envelope.deadline_ms ?? ADOPTED_PATIENCE_MS;
  const dueMs = dispatch.receivedMs + patienceMs;
  if (dispatch.call !== undefined && dueMs <= beganMs) return failed(dispatch, tooLate());
  let lease: Lease | undefined;
  let maybeSent = dispatch.call === undefined;
  begun();
  try {
    for (let attempts = 0; !deps.closed(); attempts += 1) {
      const leased = lease ?? (await leaseFor(deps.leases, generation));
      if (!isAnswer(leased)) lease = leased;
      const remainingMs = dueMs - now();
      const answer = isAnswer(leased) ? leased : await attempt(dispatch, leased, client, remainingMs, maybeSent);
      if (answer.kind === 'lost') maybeSent = true;
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

/** A lease, or why there is none. A generation that is gone took its processes with it; their output others can read. */
async function leaseFor(leases: Leases, generation: string | undefined): Promise<Lease | Answer> {
  try {
    const named = generation === undefined ? undefined : await leases.named(generation);
    return named ?? (await leases.active()) ?? { kind: 'not_sent', message: 'no generation is active' };
  } catch (error) {
    return { kind: 'not_sent', message: error instanceof Error ? error.message : 'the pointer cannot be read' };
  }
}

function isAnswer(leased: Lease | Answer): leased is Answer {
  return 'kind' in leased;
}

async function attempt(
  dispatch: Dispatch,
  lease: Lease,
  client: RuntimeClient,
  remainingMs: number,
  maybeSent: boolean,
): Promise<Answer> {
  dispatch.endpoint = lease.endpoint;
  dispatch.generation = lease.generation;
  const timeoutMs = Math.max(1, remainingMs + OVERDUE_GRACE_MS);
  if (dispatch.call === undefined || (maybeSent && remainingMs < 1)) {
    return client.join(lease.endpoint, dispatch.id, timeoutMs);
  }
  const envelope = { ...dispatch.call.envelope, deadline_ms: Math.max(1, Math.floor(remainingMs)) };
  return client.call(lease.endpoint, envelope, dispatch.call.args, timeoutMs);
}

/** A failure of the link's own, as the result that the runtime would have written. */
export function failed(dispatch: Pick<Dispatch, 'id' | 'class'>, error: OutcomeError): Kept {
  const body = failureResult(error.toFailure(dispatch.class, dispatch.id));
  const envelope: ResultEnvelope = {
    dispatch_id: dispatch.id,
    delivery: error.delivery,
    ok: false,
    code: error.code,
    size: body.length,
  };
  return { envelope, body };
}
