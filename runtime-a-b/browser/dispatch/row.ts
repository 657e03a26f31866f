/** A dispatch as it is kept, and as everybody sees it. Pure. */
import type {
  DeliveryState,
  DispatchView,
  ExecutionState,
  Operation,
  TabOutcome,
} from '../../../contract/browser/dispatch.ts';
import type { browserDispatches } from '../schema.ts';

export type Row = typeof browserDispatches.$inferSelect;

export function viewOf(row: Row): DispatchView {
  return {
    dispatch_id: row.dispatchId,
    operation: row.operation as Operation,
    endpoint_ref: row.endpointRef,
    provider: row.provider,
    account_ref: row.accountRef || null,
    space_ref: row.spaceRef || null,
    session_ref: row.sessionRef || null,
    delivery_state: row.deliveryState as DeliveryState,
    execution_state: row.executionState as ExecutionState,
    reason: row.reason,
    expected_generation: row.expectedGeneration,
    canonical_url: row.canonicalUrl,
    tab_outcome: row.tabOutcome as TabOutcome | null,
    accepted_user_message_ref: row.acceptedMessageRef,
    result:
      row.resultMessageRef === null || row.resultSha256 === null || row.resultAt === null
        ? null
        : {
            assistant_message_ref: row.resultMessageRef,
            sha256: row.resultSha256,
            chars: row.resultText?.length ?? 0,
            settled_at_ms: row.resultAt,
          },
    work_chain_id: row.workChainId || null,
    message_sha256: row.messageSha256,
    created_at_ms: row.createdAt,
    updated_at_ms: row.updatedAt,
  };
}

/** A browser has it and waits for a better moment; nothing was typed or pressed. */
export const isDeferred = (row: Row): boolean =>
  row.deliveryState === 'uncertain' && row.claimant !== null && row.executionState === 'queued';

/** Nothing more is waited for: it is proved either way, put off, or the browser has said all that it knows. */
export const isTold = (row: Row): boolean =>
  row.deliveryState !== 'uncertain' || row.reportedAt !== null || isDeferred(row);

/** No answer can come any more, or it is here. What is in doubt has not ended. */
export const hasEnded = ({ resultAt, deliveryState, executionState }: Row): boolean =>
  resultAt !== null || (deliveryState !== 'uncertain' && (executionState === 'stopped' || executionState === 'failed'));
