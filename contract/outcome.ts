/**
 * The one outcome type of every plane: what became of a call, and what the caller should do next.
 *
 * `delivery` is evidence, never a guess from an error's text: `not_delivered` means that nothing was handed to what
 * would have run it, `delivered` that it ran (well or badly), `unknown` that nobody can say yet. `retryable` is computed
 * here from the class of the operation and the delivery; no plane passes another plane's word on.
 */

export type Delivery = 'not_delivered' | 'delivered' | 'unknown';
export type CallClass = 'read' | 'write';

/**
 * Why a call failed, by who refused it:
 * `gate` a policy said no before anything ran; `argument` the request itself is wrong; `auth` who asks may not;
 * `routing` no single workstation is meant or reachable; `transport` the way there or back broke; `tool` the tool ran
 * and reports a failure; `internal` our own fault.
 */
export type FailureKind = 'gate' | 'argument' | 'auth' | 'routing' | 'transport' | 'tool' | 'internal';

/** The closed list of codes. A code has one kind for ever; the text beside it may say more. */
export const OUTCOME_CODES = {
  // gates
  readonly_mode: 'gate',
  root_not_whitelisted: 'gate',
  agent_working: 'gate',
  busy_state_unknown: 'gate',
  file_dirty_confirmation_required: 'gate',
  overwrite_confirmation_required: 'gate',
  confirmation_required: 'gate',
  outside_managed_roots: 'gate',
  symlink_escape: 'gate',
  secret_path_denied: 'gate',
  operational_root_mutation_unsupported: 'gate',
  root_not_project_root: 'gate',
  cross_project_patch_denied: 'gate',
  paused: 'gate',
  protected_folder_unavailable: 'gate',
  // arguments
  unknown_tool: 'argument',
  unknown_method: 'argument',
  unknown_local_method: 'argument',
  invalid_params: 'argument',
  invalid_params_json: 'argument',
  argument_not_in_contract: 'argument',
  idempotency_key_conflict: 'argument',
  payload_too_large: 'argument',
  not_yet_available: 'argument',
  // who asks
  fleet_admin_required: 'auth',
  connector_revoked: 'auth',
  connector_read_only: 'auth',
  device_not_allowed: 'auth',
  // routing
  device_not_found: 'routing',
  device_ambiguous: 'routing',
  device_ref_conflict: 'routing',
  device_required: 'routing',
  device_paused: 'routing',
  device_suspended: 'routing',
  device_revoked: 'routing',
  device_unavailable: 'routing',
  no_device_paired: 'routing',
  // transport
  workstation_offline: 'transport',
  workstation_reconnecting: 'transport',
  workstation_draining: 'transport',
  queue_full: 'transport',
  delivery_uncertain: 'transport',
  request_timeout: 'transport',
  response_too_large: 'transport',
  runtime_unavailable: 'transport',
  generation_gone: 'transport',
  contract_mismatch: 'transport',
  cancelled: 'transport',
  interrupted: 'transport',
  dispatch_not_found: 'transport',
  idempotency_in_flight: 'transport',
  // tools
  not_found: 'tool',
  not_a_file: 'tool',
  not_a_directory: 'tool',
  parent_not_found: 'tool',
  parent_not_directory: 'tool',
  stat_failed: 'tool',
  read_failed: 'tool',
  write_failed: 'tool',
  disk_full: 'tool',
  file_too_large: 'tool',
  binary_file: 'tool',
  changed_since_read: 'tool',
  old_string_not_found: 'tool',
  old_string_not_unique: 'tool',
  PATCH_FAILED: 'tool',
  PATCH_COMMIT_FAILED: 'tool',
  unsupported_image: 'tool',
  image_too_large: 'tool',
  image_preview_failed: 'tool',
  grep_timeout: 'tool',
  grep_incomplete: 'tool',
  git_status_failed: 'tool',
  git_failed: 'tool',
  git_timeout: 'tool',
  not_a_git_repo: 'tool',
  github_unavailable: 'tool',
  workspace_not_found: 'tool',
  project_root_required: 'tool',
  project_root_not_in_workspace: 'tool',
  exec_timeout: 'tool',
  exec_start_failed: 'tool',
  utility_pane_unavailable: 'tool',
  utility_pane_not_ready: 'tool',
  session_not_found: 'tool',
  session_state_unavailable: 'tool',
  snapshot_unavailable: 'tool',
  herdr_unavailable: 'tool',
  herdr_too_old: 'tool',
  herdr_error: 'tool',
  agent_not_found: 'tool',
  agent_target_ambiguous: 'tool',
  agent_not_ready: 'tool',
  agent_input_not_empty: 'tool',
  agent_start_not_seen: 'tool',
  // agent tasks: what was dispatched belongs to one parent, and ends once
  agent_task_not_found: 'tool',
  agent_task_not_terminal: 'tool',
  agent_task_parent_mismatch: 'auth',
  agent_task_store_unavailable: 'transport',
  // continuity and work memory: what is asked for, what the journal knows, and what it will not take
  continuity_id_or_url_required: 'argument',
  continuity_resume_params_invalid: 'argument',
  continuity_search_params_invalid: 'argument',
  conversation_id_required: 'argument',
  conversation_url_unsupported: 'argument',
  continuity_cursor_invalid: 'argument',
  continuity_cursor_version_unsupported: 'argument',
  continuity_not_found: 'tool',
  continuity_ambiguous: 'tool',
  continuity_binding_ambiguous: 'tool',
  continuity_closed: 'tool',
  continuity_message_conflict: 'tool',
  continuity_source_mismatch: 'tool',
  continuity_export_failed: 'tool',
  continuity_import_invalid: 'tool',
  continuity_import_conflict: 'tool',
  continuity_store_unavailable: 'transport',
  work_memory_not_found: 'tool',
  work_memory_partition_mismatch: 'tool',
  work_memory_partition_already_bound: 'tool',
  work_memory_session_not_bound: 'tool',
  work_memory_evidence_invalid: 'argument',
  work_memory_checkpoint_invalid: 'argument',
  work_memory_checkpoint_revision_conflict: 'tool',
  work_memory_checkpoint_turn_not_found: 'tool',
  work_memory_checkpoint_evidence_not_found: 'tool',
  work_memory_checkpoint_missing: 'tool',
  work_memory_checkpoint_corrupt: 'tool',
  work_memory_cursor_invalid: 'argument',
  work_memory_cursor_version_unsupported: 'argument',
  work_memory_cursor_conflict: 'argument',
  work_memory_cursor_partition_mismatch: 'argument',
  work_memory_cursor_boundary_unavailable: 'tool',
  work_memory_retention_forbids: 'gate',
  local_person_required: 'auth',
  // web chats: who may, what was planned against what, and what was proved
  browser_forbidden_input: 'argument',
  unsupported: 'argument',
  caller_grant_missing: 'auth',
  webchat_control_not_allowed: 'gate',
  stale_capability_generation: 'gate',
  browser_adapter_protocol_unsupported: 'gate',
  capability_not_allowed: 'gate',
  capability_unknown: 'gate',
  browser_endpoint_not_found: 'argument',
  browser_resource_not_found: 'argument',
  browser_resource_scope_mismatch: 'argument',
  browser_resource_ambiguous: 'argument',
  browser_canonical_url_ambiguous: 'argument',
  browser_dispatch_not_found: 'argument',
  browser_dispatch_unsettled: 'tool',
  browser_account_busy: 'transport',
  browser_not_delivered: 'tool',
  browser_store_unavailable: 'transport',
  // fleet control
  work_chain_not_found: 'tool',
  work_chain_revision_conflict: 'tool',
  planner_lease_held: 'tool',
  planner_lease_lost: 'tool',
  planner_lease_not_takeable: 'tool',
  takeover_not_allowed: 'auth',
  execution_lane_not_found: 'tool',
  execution_lane_taken: 'tool',
  execution_lane_generation_conflict: 'tool',
  execution_lane_state_invalid: 'tool',
  control_capacity: 'tool',
  // ours
  internal_error: 'internal',
} as const satisfies Record<string, FailureKind>;

export type OutcomeCode = keyof typeof OUTCOME_CODES;

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

/** The JSON object inside `content[0].text` of a failed call. Gate refusals repeat the code as `reason`. */
export function failureBody(failure: Failure): Record<string, unknown> {
  const { details, ...wire } = failure;
  return {
    ...(details ?? {}),
    ...wire,
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
