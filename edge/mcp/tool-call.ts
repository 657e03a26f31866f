/** A `tools/call` on its way through the edge, what it becomes, and the answer to one that the edge refuses. */
import { classify } from '../../contract/call.ts';
import { type Failure, failureResult, isRetryable, type OutcomeCode } from '../../contract/outcome.ts';
import type { EdgePrincipal } from '../auth/index.ts';
import type { Env } from '../env.ts';
import type { Caller } from './carry.ts';
import type { Served } from './served.ts';

export interface ToolCall {
  tool: string;
  args: Record<string, unknown>;
  /** `params._meta` as it came. */
  meta: unknown;
  principal: EdgePrincipal;
  served: Served;
  env: Env;
  traceHeader: string | null;
  /** The caller, to be listened to; asked for only where a call may outlast its patience. */
  caller: () => Caller;
  /** Whether the principal is good now, and not only remembered: asked before the edge itself acts or answers. */
  stillApproved: () => Promise<boolean>;
}

export type ToolAnswer =
  | {
      revoked?: false;
      /** A serialised `CallToolResult` without `_meta`. */
      result: Uint8Array;
      /** Members of `_meta.herdr`. */
      herdr: Record<string, unknown>;
      traceparent?: string | undefined;
    }
  | { revoked: true };

export interface Refused {
  code: OutcomeCode;
  message: string;
  next: string;
  details?: Record<string, unknown> | undefined;
}

/** A call that the edge itself refuses: certainly not delivered. */
export function refused(call: Pick<ToolCall, 'tool' | 'args'>, { code, message, next, details }: Refused): ToolAnswer {
  const failure: Failure = {
    ok: false,
    code,
    message,
    delivery: 'not_delivered',
    retryable: isRetryable(classify(call.tool, call.args), code, 'not_delivered'),
    next,
    ...(details === undefined ? {} : { details }),
  };
  return { result: failureResult(failure), herdr: { delivery: 'not_delivered' } };
}
