/** What a caller may read about a dispatch later: the local part of `herdr_mcp.dispatch.status`. */
import { afterLookUp } from '../../contract/look-up.ts';
import type { Operation } from './ledger.ts';

/** A receipt for the wire. The result itself is added by whoever asked for one dispatch by its id. */
export function receipt(operation: Operation): Record<string, unknown> {
  const { method, target, code, settledAt, sessionId, sameAs } = operation;
  const delivery = operation.delivery ?? 'unknown';
  const next = afterLookUp({ state: operation.state, delivery }, true);
  return {
    dispatch_id: operation.dispatchId,
    tool: operation.tool,
    ...(method === null ? {} : { method }),
    ...(target === null ? {} : { target }),
    state: operation.state,
    delivery,
    ...(operation.ok === null ? {} : { call_ok: operation.ok }),
    ...(code === null ? {} : { code }),
    received_at_ms: operation.receivedAt,
    ...(settledAt === null ? {} : { settled_at_ms: settledAt }),
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(sameAs === null ? {} : { first_dispatch_id: sameAs }),
    generation: operation.generation,
    principal: operation.principalLabel,
    ...(next === undefined ? {} : { next }),
  };
}

/** The JSON of a recorded result's first text block. */
export function resultJson(body: Uint8Array): unknown {
  const result = JSON.parse(new TextDecoder().decode(body)) as { content: { text?: string }[] };
  const text = result.content[0]?.text;
  return text === undefined ? undefined : JSON.parse(text);
}
