import { DispatchList } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { openEdge } from '../edge/index.ts';
import { askMethod } from '../runtime/index.ts';
import { type Entry, merge } from './merge.ts';

export type Query = { dispatch_id: string } | { last: number };

export interface Known {
  /** Newest first. */
  dispatches: Entry[];
  /** Why a source could not be asked; absent when it answered. */
  not_reached: { edge?: string; ledger?: string };
  observed_at_ms: number;
}

/**
 * Asks the runtime's ledger and the edge's receipts side by side. One that does not answer is named in `not_reached`;
 * throws a `LocalError` with both reasons when neither does.
 */
export async function lookUp(query: Query): Promise<Known> {
  const [ledger, edge] = await Promise.allSettled([askLedger(query), askEdge(query)]);
  if (ledger.status === 'rejected' && edge.status === 'rejected') {
    throw new LocalError(
      'nobody_answered',
      `Neither the runtime nor the edge could be asked. ${sentence(ledger.reason)} ${sentence(edge.reason)}`,
      'Start what is missing; what became of a call is kept for 24 hours.',
    );
  }
  return {
    dispatches: merge(
      edge.status === 'fulfilled' ? edge.value : [],
      ledger.status === 'fulfilled' ? ledger.value : undefined,
    ),
    not_reached: {
      ...(edge.status === 'rejected' ? { edge: sentence(edge.reason) } : {}),
      ...(ledger.status === 'rejected' ? { ledger: sentence(ledger.reason) } : {}),
    },
    observed_at_ms: Date.now(),
  };
}

async function askLedger(query: Query): Promise<Entry[]> {
  const answer = await askMethod('herdr_mcp.dispatch.status', query);
  const listed = Array.isArray(answer.dispatches) ? answer.dispatches : [answer.dispatch];
  const entries = listed.filter((one): one is Entry => typeof (one as Entry | undefined)?.dispatch_id === 'string');
  const [first] = entries;
  return first && 'result' in answer ? [{ ...first, result: answer.result }] : entries;
}

async function askEdge(query: Query) {
  const edge = await openEdge();
  const search = 'last' in query ? `last=${query.last}` : `dispatch_id=${query.dispatch_id}`;
  const request = { method: 'GET', path: `/dispatches?${search}` } as const;
  return (await edge.call(DispatchList, request, 'The edge’s receipts were not listed')).dispatches;
}

/** Only a refusal that a person can understand counts as "not reached"; everything else is our own fault and is thrown. */
function sentence(reason: unknown): string {
  if (reason instanceof LocalError) return reason.message;
  throw reason;
}
