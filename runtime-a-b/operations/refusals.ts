/** The outcomes that the gate itself gives. Each says what was not touched and what to do next. */
import type { CallEnvelope } from '../../contract/call.ts';
import { lookUp } from '../../contract/look-up.ts';
import { type CallClass, OutcomeError } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import type { Operation } from './ledger.ts';

/** A failure nobody foresaw is logged here and told without its text. */
export function asOutcome(error: unknown, log: Log, envelope: CallEnvelope): OutcomeError {
  if (error instanceof OutcomeError) return error;
  log.error({ err: error, dispatch_id: envelope.dispatch_id, tool: envelope.tool }, 'a call failed unforeseen');
  return new OutcomeError('internal_error', 'The runtime failed in an unforeseen way; its log has the details.', {
    next: 'Look at the state before anything is repeated.',
    cause: error,
  });
}

export function connectorRevoked(): OutcomeError {
  return new OutcomeError('connector_revoked', 'This connection was revoked. Nothing was run.', {
    next: 'Connect again; the owner approves it on the workstation.',
  });
}

export function connectorReadOnly(): OutcomeError {
  return new OutcomeError('connector_read_only', 'This connection was approved for reading only. Nothing was run.', {
    next: 'Ask the owner to approve a connection that may change things.',
  });
}

export function stopping(): OutcomeError {
  return new OutcomeError('workstation_draining', 'This generation of the runtime is stopping. Nothing was run.', {
    delivery: 'not_delivered',
    next: 'Send the call again in a moment.',
  });
}

export function notRecorded(cause: unknown): OutcomeError {
  return new OutcomeError('internal_error', 'The ledger could not be written, so the call was not run.', {
    delivery: 'not_delivered',
    next: 'Free disk space on the workstation or look at the log, then send the call again.',
    cause,
  });
}

export function cancelled(callClass: CallClass): OutcomeError {
  const read = callClass === 'read';
  return new OutcomeError('cancelled', 'The call was cancelled while it ran.', {
    delivery: read ? 'delivered' : 'unknown',
    next: read ? 'Nothing was changed.' : 'Look at what it may have changed before anything is repeated.',
  });
}

export function keyConflict(first: Operation): OutcomeError {
  return new OutcomeError(
    'idempotency_key_conflict',
    'This idempotency_key belongs to an earlier call with other arguments. Nothing was run.',
    {
      next: 'Use a new key for a new call, or the same arguments to get the first result.',
      details: {
        first_dispatch_id: first.dispatchId,
        first_tool: first.tool,
        first_received_at_ms: first.receivedAt,
      },
    },
  );
}

export function keyInFlight(first: Operation): OutcomeError {
  return new OutcomeError(
    'idempotency_in_flight',
    'The call that this key belongs to still runs. Nothing was started a second time.',
    { delivery: 'unknown', next: lookUp(first.dispatchId), details: { first_dispatch_id: first.dispatchId } },
  );
}

/** The ledger never had it, and it will not be run when it still arrives. */
export function neverArrived(): OutcomeError {
  return new OutcomeError(
    'interrupted',
    'The way to the workstation broke before this call arrived there. It did not run and will not.',
    { delivery: 'not_delivered', next: 'Send the call again.' },
  );
}

export function stillRunning(operation: Operation): OutcomeError {
  return new OutcomeError('request_timeout', 'The call still runs; it was not started again.', {
    delivery: 'unknown',
    next: lookUp(operation.dispatchId),
    details: { generation: operation.generation },
  });
}

export function resultLost(dispatchId: string): OutcomeError {
  return new OutcomeError('dispatch_not_found', `The ledger has no result for ${dispatchId}.`, {
    delivery: 'unknown',
    next: 'Look at the state itself; receipts are kept for 24 hours.',
  });
}
