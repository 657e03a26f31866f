/**
 * The one outcome type of every plane: what became of a call, and what the caller should do next.
 *
 * `delivery` is evidence, never a guess from an error's text: `not_delivered` means that nothing was handed to what
 * would have run it, `delivered` that it ran (well or badly), `unknown` that nobody can say yet. `retryable` is computed
 * here from the class of the operation and the delivery; no plane passes another plane's word on.
 */

import { type FailureKind, OUTCOME_CODES, type OutcomeCode } from './outcome-codes.ts';

export type Delivery = 'not_delivered' | 'delivered' | 'unknown';
export type CallClass = 'read' | 'write';

export { type FailureKind, OUTCOME_CODES, type OutcomeCode } from './outcome-codes.ts';

export interface Failure {
  ok: false;
  code: OutcomeCode;
  /** What happened and what was not touched, for a person or a model to read. */
  message: string;
  delivery: Delivery;
  retryable: boolean;
  /** What the caller should do next, one sentence. */
  next: string;
  dispatch_id?: string;
  /** Facts of this code: candidates, limits, evidence. Never an exception's text. */
  details?: Record<string, unknown>;
}

/**
 * Whether the same call may be sent again as it is.
 * Reads may whenever a second try could go differently; a write may only when it certainly did not arrive.
 * A wrong request, a refusal and a failed tool stay what they are until the caller changes something.
 */
export function isRetryable(callClass: CallClass, code: OutcomeCode, delivery: Delivery): boolean {
  const kind: FailureKind = OUTCOME_CODES[code];
  if (kind !== 'transport' && kind !== 'internal' && code !== 'device_unavailable') return false;
  if (NEVER_AGAIN.has(code)) return false;
  return callClass === 'read' || delivery === 'not_delivered';
}

/** Transport outcomes that a repetition cannot change. */
const NEVER_AGAIN: ReadonlySet<OutcomeCode> = new Set([
  'response_too_large',
  'contract_mismatch',
  'cancelled',
  'dispatch_not_found',
  'generation_gone',
]);

/** A gate refusal is an answer of the tool; every other call that did not run is an error to the host. */
export function isErrorResult(failure: Pick<Failure, 'code'>): boolean {
  const kind: FailureKind = OUTCOME_CODES[failure.code];
  return kind !== 'gate' && kind !== 'tool';
}

/** Thrown inside a plane; becomes a {@link Failure} at its border, where class and dispatch id are known. */
export class OutcomeError extends Error {
  readonly code: OutcomeCode;
  readonly delivery: Delivery;
  readonly next: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: OutcomeCode,
    message: string,
    options: { next: string; delivery?: Delivery; details?: Record<string, unknown>; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'OutcomeError';
    this.code = code;
    this.next = options.next;
    this.details = options.details;
    this.delivery = options.delivery ?? defaultDelivery(code);
  }

  /** The wire form, with `retryable` computed for the class of the call that failed. */
  toFailure(callClass: CallClass, dispatchId?: string): Failure {
    return {
      ok: false,
      code: this.code,
      message: this.message,
      delivery: this.delivery,
      retryable: isRetryable(callClass, this.code, this.delivery),
      next: this.next,
      ...(dispatchId === undefined ? {} : { dispatch_id: dispatchId }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** A refusal before anything ran was not delivered; a failed tool ran; a broken way back is unknown until looked up. */
function defaultDelivery(code: OutcomeCode): Delivery {
  switch (OUTCOME_CODES[code]) {
    case 'tool':
      return 'delivered';
    case 'transport':
      return code === 'workstation_offline' || code === 'queue_full' || code === 'workstation_reconnecting'
        ? 'not_delivered'
        : 'unknown';
    case 'internal':
      return 'unknown';
    default:
      return 'not_delivered';
  }
}

/**
 * The JSON object inside `content[0].text` of a failed call. Gate refusals repeat the code as `reason`. A failure that
 * tells of another dispatch (a message into a web chat) names that one: it is what can be looked up.
 */
export function failureBody(failure: Failure): Record<string, unknown> {
  const { details, ...wire } = failure;
  return {
    ...(details ?? {}),
    ...wire,
    ...(details?.['dispatch_id'] === undefined ? {} : { dispatch_id: details['dispatch_id'] }),
    ...(OUTCOME_CODES[failure.code] === 'gate' ? { reason: failure.code } : {}),
  };
}

/** A failed call as the bytes of an MCP `CallToolResult` (UTF-8 JSON, no `_meta`), as the runtime would have written it. */
export function failureResult(failure: Failure): Uint8Array {
  return encoder.encode(
    JSON.stringify({
      content: [{ type: 'text', text: JSON.stringify(failureBody(failure)) }],
      isError: isErrorResult(failure),
    }),
  );
}

const encoder = new TextEncoder();
