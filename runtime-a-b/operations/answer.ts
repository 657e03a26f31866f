/** What running a tool yields, and the bytes that it becomes. A result is serialised here, once, and nowhere else. */
import type { CallEnvelope, ResultEnvelope } from '../../contract/call.ts';
import { RESULT_BYTES_MAX } from '../../contract/limits.ts';
import { type CallClass, type Delivery, failureResult, OutcomeError } from '../../contract/outcome.ts';
import { type ExtraBlock, resultBytes } from './result-bytes.ts';

/** A tool that ran and has something to say. Failures are thrown `OutcomeError`s. */
export interface Answer {
  ok: true;
  /** Becomes the JSON of `content[0].text`, with `ok: true` in front. */
  body: Record<string, unknown>;
  blocks?: ExtraBlock[];
  /** The exec session that goes on after this answer; an idempotency key stays bound until it ends. */
  runningSession?: string;
}

/** A file that a mutation is about to change; written down first, so that an interrupted call can be judged by it. */
export interface IntendedChange {
  /** Canonical absolute path. */
  path: string;
  /** `sha256:…` of the whole file, null when it does not exist. */
  before: string | null;
  after: string | null;
}

/** A finished call as it leaves the runtime: the envelope, and the bytes that nobody on the way parses. */
export interface Finished {
  envelope: ResultEnvelope;
  body: Uint8Array;
}

/** What became of one run, before it has an envelope. */
export interface Outcome {
  ok: boolean;
  code: string | null;
  delivery: Delivery;
  body: Uint8Array;
  sessionId: string | null;
}

const encoder = new TextEncoder();

/** The outcome of a tool that answered. `more` is added to the JSON. */
export function answered(answer: Answer, more: Record<string, unknown> = {}): Outcome {
  const body = resultBytes({ ok: true, ...answer.body, ...more }, answer.blocks);
  return { ok: true, code: null, delivery: 'delivered', body, sessionId: answer.runningSession ?? null };
}

/** The outcome of a tool that refused or failed. `more` is added to the JSON. */
export function failed(
  error: OutcomeError,
  callClass: CallClass,
  dispatchId: string,
  more: Record<string, unknown> = {},
): Outcome {
  const failure = error.toFailure(callClass, dispatchId);
  const details = { ...failure.details, ...more };
  const body = failureResult(Object.keys(details).length > 0 ? { ...failure, details } : failure);
  const session = error.code === 'exec_timeout' ? error.details?.session_id : undefined;
  const sessionId = typeof session === 'string' ? session : null;
  return { ok: false, code: error.code, delivery: error.delivery, body, sessionId };
}

/** A result above the largest that the link carries fails alone; what the call did stays done. */
export function bounded(outcome: Outcome, callClass: CallClass, dispatchId: string): Outcome {
  if (outcome.body.length <= RESULT_BYTES_MAX) return outcome;
  const error = new OutcomeError(
    'response_too_large',
    `The call ran, but its result of ${outcome.body.length} bytes is above the limit of ${RESULT_BYTES_MAX}.`,
    { delivery: 'delivered', next: 'Ask for a smaller part of it.' },
  );
  return { ...failed(error, callClass, dispatchId), sessionId: outcome.sessionId };
}

/** Puts the envelope in front. */
export function finish(
  dispatchId: string,
  outcome: Outcome,
  extra: { runtimeMs?: number; replayed?: boolean },
): Finished {
  return {
    envelope: {
      dispatch_id: dispatchId,
      delivery: outcome.delivery,
      ok: outcome.ok,
      ...(outcome.code === null ? {} : { code: outcome.code }),
      size: outcome.body.length,
      ...(extra.runtimeMs === undefined ? {} : { runtime_ms: Math.round(extra.runtimeMs * 1000) / 1000 }),
      ...(extra.replayed ? { replayed: true } : {}),
    },
    body: outcome.body,
  };
}

/** A recorded result that is given again under another dispatch id says so in its JSON; everything else is as it was. */
export function markReplayed(body: Uint8Array, firstDispatchId: string): Uint8Array {
  const result = JSON.parse(new TextDecoder().decode(body)) as { content: { type: string; text: string }[] };
  const [first] = result.content;
  if (!first) return body;
  const json = JSON.parse(first.text) as Record<string, unknown>;
  first.text = JSON.stringify({ ...json, idempotent_replay: true, first_dispatch_id: firstDispatchId });
  return encoder.encode(JSON.stringify(result));
}

/** A call that was refused before it came near the ledger. */
export function refused(error: OutcomeError, envelope: Pick<CallEnvelope, 'dispatch_id' | 'class'>): Finished {
  return finish(envelope.dispatch_id, failed(error, envelope.class, envelope.dispatch_id), {});
}
