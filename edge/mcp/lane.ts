/** `tools/call`'s own lane: the result's bytes are spliced into the answer and never parsed (design, section 5). */
import { callTool } from './call.ts';
import { SERVER_INFO } from './served.ts';
import { splice } from './splice.ts';
import type { ToolAnswer, ToolCall } from './tool-call.ts';

export type LaneAnswer = { kind: 'message'; pieces: Uint8Array[] } | { kind: 'broken' } | { kind: 'revoked' };

export async function serveToolCall(id: string | number, call: ToolCall, modern: boolean): Promise<LaneAnswer> {
  const answer = await callTool(call);
  if (answer.revoked) return { kind: 'revoked' };
  const pieces = splice({ id, result: answer.result, meta: metaOf(answer, modern), modern });
  return pieces ? { kind: 'message', pieces } : { kind: 'broken' };
}

/** What the edge adds to a result. Hosts may strip all of it; nothing that a caller needs is only here. */
export function metaOf(answer: Exclude<ToolAnswer, { revoked: true }>, modern: boolean): Record<string, unknown> {
  return {
    herdr: answer.herdr,
    ...(answer.traceparent === undefined ? {} : { traceparent: answer.traceparent }),
    ...(modern ? { 'io.modelcontextprotocol/serverInfo': SERVER_INFO } : {}),
  };
}
