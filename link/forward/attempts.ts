/**
 * What to do after each answer of the runtime to one call. Pure: this is the table of interruptions between the link
 * and the tool.
 *
 * Asking again is safe because the runtime joins or replays a dispatch id that it knows, from a ledger that both
 * generations share and that is written before anything runs. What the link itself says `not_delivered` about was never
 * handed to any runtime; once bytes may have arrived, only a runtime can say what became of the call.
 */
import { RESULT_BYTES_MAX } from '../../contract/limits.ts';
import { lookUp } from '../../contract/look-up.ts';
import {
  type CallClass,
  type Delivery,
  OUTCOME_CODES,
  type OutcomeCode,
  OutcomeError,
} from '../../contract/outcome.ts';
import { OVERDUE_GRACE_MS, REJOIN_FIRST_MS, REJOIN_MAX_MS, RUNTIME_WAIT_MS } from '../limits.ts';
import type { Answer } from './runtime-client.ts';

export interface SoFar {
  /** Bytes of this call may have reached a runtime. */
  maybeSent: boolean;
  /** Answers before this one. */
  attempts: number;
  /** ms since the link began to hand it over. */
  triedMs: number;
  /** ms until the caller's deadline; negative after it. */
  remainingMs: number;
}

export type Step =
  | { do: 'finish'; answer: Extract<Answer, { kind: 'result' }> }
  | { do: 'fail'; error: OutcomeError }
  /** Ask again: the same process first, because it may still be running the call. */
  | { do: 'again'; at: 'same' | 'active'; afterMs: number };

export function afterAnswer(answer: Answer, before: SoFar): Step {
  switch (answer.kind) {
    case 'result':
      return { do: 'finish', answer };
    case 'too_large':
      return { do: 'fail', error: tooLarge(answer.size, answer.delivery) };
    case 'no_room':
      // The runtime keeps the result; room comes when the edge acknowledges others.
      return before.remainingMs > pauseMs(before)
        ? { do: 'again', at: 'same', afterMs: pauseMs(before) }
        : { do: 'fail', error: tooLarge(answer.size, answer.delivery) };
    case 'lost':
      return again('same', { ...before, maybeSent: true }, answer.message);
    case 'not_sent':
      return again('active', before, answer.message);
    case 'refused':
      return afterRefusal(answer, before);
  }
}

function afterRefusal(answer: Extract<Answer, { kind: 'refused' }>, before: SoFar): Step {
  // Starting or draining: it took nothing, and the pointer is about to name another.
  if (answer.status === 503) return again('active', before, answer.message);
  if (answer.status === 404 && before.maybeSent)
    return { do: 'fail', error: uncertain('no generation has a record of it') };
  if (answer.status >= 500 || before.maybeSent) return { do: 'fail', error: uncertain(answer.message) };
  return { do: 'fail', error: refusal(answer) };
}

function again(at: 'same' | 'active', before: SoFar, why: string): Step {
  const afterMs = pauseMs(before);
  if (before.maybeSent) {
    const patienceMs = before.remainingMs + OVERDUE_GRACE_MS;
    return patienceMs > afterMs ? { do: 'again', at, afterMs } : { do: 'fail', error: uncertain(why) };
  }
  const patienceMs = Math.min(before.remainingMs, RUNTIME_WAIT_MS - before.triedMs);
  return patienceMs > afterMs ? { do: 'again', at, afterMs } : { do: 'fail', error: unavailable(why) };
}

function pauseMs({ attempts }: SoFar): number {
  return Math.min(REJOIN_MAX_MS, REJOIN_FIRST_MS * 2 ** Math.min(attempts, 8));
}

/** Nothing was handed over. */
function unavailable(why: string): OutcomeError {
  return new OutcomeError(
    'runtime_unavailable',
    `The workstation is connected, but its runtime does not answer (${why}). The call was not handed over and nothing ran.`,
    {
      delivery: 'not_delivered',
      next: 'Try again in a few seconds; on the workstation, `herdr-mcp status` says what is wrong.',
    },
  );
}

/** Handed over, and nobody who ran it can be asked any more. */
export function uncertain(why: string): OutcomeError {
  return new OutcomeError(
    'delivery_uncertain',
    `The call reached the workstation's runtime, and then it could not be asked what became of it (${why}).`,
    { delivery: 'unknown', next: 'Read again.' },
  );
}

/** What to do next: a write that has run, or may have, is looked up; whatever else failed says for itself. */
export function adviceFor({ code, next }: OutcomeError, callClass: CallClass, dispatchId: string): string {
  const hasRun = code === 'delivery_uncertain' || code === 'response_too_large';
  return hasRun && callClass === 'write' ? lookUp(dispatchId) : next;
}

/** The time was over before the call could be handed over. */
export function tooLate(): OutcomeError {
  return new OutcomeError(
    'request_timeout',
    'The time for this call was over before the workstation could begin it. It was not handed over and nothing ran.',
    { delivery: 'not_delivered', next: 'Try again; fewer calls at once begin sooner.' },
  );
}

export function queueFull(waiting: number): OutcomeError {
  return new OutcomeError(
    'queue_full',
    `${waiting} calls already wait on this workstation. This one was not taken and nothing ran.`,
    { delivery: 'not_delivered', next: 'Wait until some of them have been answered, then try again.' },
  );
}

export function draining(): OutcomeError {
  return new OutcomeError(
    'workstation_draining',
    'The link of this workstation is stopping and takes no new call. Nothing ran.',
    { delivery: 'not_delivered', next: 'Try again in a few seconds, when it has started again.' },
  );
}

export function cancelledWhileWaiting(): OutcomeError {
  return new OutcomeError(
    'cancelled',
    'The call was cancelled while it waited. It was not handed over and nothing ran.',
    {
      delivery: 'not_delivered',
      next: 'Nothing has to be undone.',
    },
  );
}

export function wrongDevice(): OutcomeError {
  return new OutcomeError(
    'device_not_found',
    'The call names another workstation than the one that received it. It was not handed over and nothing ran.',
    { delivery: 'not_delivered', next: 'Ask herdr_devices which workstations there are, and name one of them.' },
  );
}

function tooLarge(size: number, delivery: Delivery): OutcomeError {
  return new OutcomeError(
    'response_too_large',
    `The call ran, and its result of ${size} bytes does not fit: above ${RESULT_BYTES_MAX} bytes, or beside other large ones under way. It was dropped; what the call did stands.`,
    { delivery, next: 'Ask for less at once: a range, a page, or fewer entries.', details: { result_bytes: size } },
  );
}

function refusal(answer: Extract<Answer, { kind: 'refused' }>): OutcomeError {
  const known = answer.code !== undefined && Object.hasOwn(OUTCOME_CODES, answer.code);
  const code = known ? (answer.code as OutcomeCode) : answer.status === 401 ? 'runtime_unavailable' : 'internal_error';
  return new OutcomeError(code, `The workstation's runtime refused the call before it ran: ${answer.message}`, {
    delivery: 'not_delivered',
    next: 'On the workstation, `herdr-mcp doctor` says what is wrong.',
  });
}
