/** `herdr_mcp.dispatch.status`: what became of an earlier call. The edge merges its own receipts with this answer. */
import * as Type from 'typebox';
import type { Principal } from '../../../contract/call.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../../../contract/limits.ts';
import { type CallClass, OutcomeError } from '../../../contract/outcome.ts';
import { keyDigest, type Ledger, type Operation, receipt, resultJson } from '../../operations/index.ts';
import type { ToolContext } from '../context.ts';
import type { LocalMethod } from './local.ts';

/** Receipts given at once when no number is asked for, and at most. */
const LAST_DEFAULT = 10;
const LAST_MAX = 50;

const Params = Type.Object(
  {
    dispatch_id: Type.Optional(Type.String({ description: 'Id of the dispatch.', maxLength: 64 })),
    idempotency_key: Type.Optional(
      Type.String({ description: 'Key of the call.', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX }),
    ),
    last: Type.Optional(
      Type.Integer({ description: 'The last writes of this connection.', minimum: 1, maximum: LAST_MAX }),
    ),
  },
  { additionalProperties: false },
);

/** Where it is looked up. */
export interface Witnesses {
  ledger: Ledger;
  /** Asked about reads, which stand in no ledger. */
  running: (dispatchId: string) => CallClass | undefined;
  /** Settles the writes of dead processes. */
  recover: () => Promise<unknown>;
}

export function dispatchStatus({ ledger, running, recover }: Witnesses): LocalMethod {
  /** What `find` finds, once none of it is said to run whose process is dead. */
  const judged = async <T extends Operation | undefined | Operation[]>(find: () => T): Promise<T> => {
    const found = find();
    if (![found].flat().some((operation) => operation?.state === 'running')) return found;
    await recover();
    return find();
  };
  return {
    access: 'read',
    description: 'What became of an earlier call: by dispatch_id, by idempotency_key, or the last writes.',
    params: Params,
    async run(params, context) {
      const { dispatch_id: id, idempotency_key: key, last } = params;
      if ([id, key, last].filter((given) => given !== undefined).length > 1) {
        throw new OutcomeError('invalid_params', 'Only one of dispatch_id, idempotency_key and last may be given.', {
          next: 'Ask for one of them.',
        });
      }
      if (typeof id === 'string') {
        const operation = await judged(() => ledger.find(id));
        if (operation && maySee(context.principal, operation)) return found(operation, ledger, context);
        return running(id) === 'read' ? readRuns(id) : missing(NO_ID, context);
      }
      if (typeof key === 'string') {
        const operation = await judged(() => ledger.findByKey(keyDigest(context.principal, key)));
        return operation ? found(operation, ledger, context) : missing(NO_KEY, context);
      }
      const count = typeof last === 'number' ? last : LAST_DEFAULT;
      const own = await judged(() =>
        context.principal.kind === 'local' ? ledger.last(count) : ledger.lastOf(context.principal, count),
      );
      return { ok: true, body: { dispatches: own.map(receipt), looked_up_at_ms: context.nowMs() } };
    },
  };
}

const NO_ID = 'no dispatch with this id was received; of reads only those that still run are known';
const NO_KEY = 'no dispatch with this key was received';

const readRuns = (id: string) => ({
  ok: true as const,
  body: { found: true, dispatch: { dispatch_id: id, state: 'running', class: 'read' } },
});

/** A connection sees its own calls; who sits at the workstation sees all. */
function maySee(principal: Principal, operation: Operation): boolean {
  return (
    principal.kind === 'local' || (operation.principalKind === principal.kind && operation.principalId === principal.id)
  );
}

function found(operation: Operation, ledger: Ledger, context: ToolContext) {
  const body = operation.state === 'running' ? undefined : ledger.body(operation.dispatchId);
  return {
    ok: true as const,
    body: {
      found: true,
      dispatch: receipt(operation),
      ...(body ? { result: resultJson(body) } : {}),
      looked_up_at_ms: context.nowMs(),
    },
  };
}

const missing = (message: string, context: ToolContext) => ({
  ok: true as const,
  body: { found: false, message, looked_up_at_ms: context.nowMs() },
});
