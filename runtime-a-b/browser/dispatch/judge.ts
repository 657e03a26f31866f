/**
 * What a browser's evidence proves of a dispatch. `applied` needs every part of the operation's postcondition; a refusal
 * proves that nothing was pressed; everything between is uncertain, whatever words came with it. Pure.
 */
import type { Evidence } from '../../../contract/browser/actuation.ts';
import type { DeliveryState, ExecutionState, Operation } from '../../../contract/browser/dispatch.ts';

export interface Planned {
  operation: Operation;
  expectedGeneration: number;
  /** The chat that was meant; empty for a new one. */
  sessionRef: string;
}

export interface Verdict {
  delivery: DeliveryState;
  execution: ExecutionState;
  reason: string | null;
}

export function judge(planned: Planned, evidence: Evidence): Verdict {
  const pressed = evidence.command_accepted !== false;
  if (evidence.refused !== undefined) {
    // A page that says both pressed and refused is believed in nothing.
    return evidence.command_accepted === false
      ? { delivery: 'rejected', execution: 'failed', reason: evidence.refused }
      : doubt(evidence, 'contradictory_evidence');
  }
  if (!pressed) {
    const delivery = evidence.resource_available === false ? 'resource_unavailable' : 'not_applied';
    return { delivery, execution: 'failed', reason: evidence.reason ?? delivery };
  }
  if (evidence.observed_generation !== planned.expectedGeneration) return doubt(evidence, 'generation_changed');
  const missing = missingProof(planned, evidence);
  if (missing !== null) return doubt(evidence, evidence.reason ?? missing);
  return { delivery: 'applied', execution: executionOf(planned.operation, evidence), reason: null };
}

function doubt(evidence: Evidence, reason: string): Verdict {
  const generating = evidence.generation_status === 'generating';
  return { delivery: 'uncertain', execution: generating ? 'generating' : 'submitted', reason };
}

/** The first part of the postcondition that was not seen. */
function missingProof({ operation, sessionRef }: Planned, seen: Evidence): string | null {
  const same = sessionRef === '' || seen.session_ref === sessionRef;
  switch (operation) {
    case 'session.create':
      if (seen.session_ref === undefined) return 'no_session_seen';
      if (seen.canonical_url === undefined) return 'no_address_seen';
      if (seen.lifecycle !== 'active') return 'no_lifecycle_seen';
      return seen.accepted_message_ref === undefined ? 'no_accepted_message_seen' : null;
    case 'composer.submit':
      if (!same) return 'another_session_seen';
      if (seen.accepted_message_ref === undefined) return 'no_accepted_message_seen';
      return seen.message_baseline_advanced === true ? null : 'no_new_turn_seen';
    case 'session.open':
      return same && seen.session_ref !== undefined && seen.canonical_url !== undefined ? null : 'not_seen_open';
    case 'session.archive':
      if (!same) return 'another_session_seen';
      return seen.lifecycle === 'archived' ? null : 'not_seen_archived';
    case 'generation.stop':
      if (!same) return 'another_session_seen';
      return seen.generation_stopped === true ? null : 'not_seen_stopped';
  }
}

function executionOf(operation: Operation, { generation_status }: Evidence): ExecutionState {
  if (operation === 'generation.stop') return 'stopped';
  if (operation === 'session.open' || operation === 'session.archive') return 'settled';
  return generation_status === 'generating' ? 'generating' : 'submitted';
}
