/** The envelope that travels with every call, from the edge to the tool (design, section 2). */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isReadMethod } from './methods.ts';
import type { CallClass } from './outcome.ts';
import { READ_TOOLS } from './tools.ts';

export const Principal = Type.Object({
  /** A web host's grant, a CI client's, or a person or agent on the workstation itself. */
  kind: Type.Union([Type.Literal('connector'), Type.Literal('automation'), Type.Literal('local')]),
  id: Type.String({ maxLength: 128 }),
  /** For logs and lists; never an authority. */
  label: Type.String({ maxLength: 256 }),
  /** The approval allows reads only. Edge and runtime both enforce it. */
  read_only: Type.Optional(Type.Boolean()),
});
export type Principal = Static<typeof Principal>;

export const CallEnvelope = Type.Object({
  dispatch_id: Type.String({ pattern: '^d_[0-9a-f]{32}$' }),
  tool: Type.String({ maxLength: 64 }),
  class: Type.Union([Type.Literal('read'), Type.Literal('write')]),
  device_id: Type.String({ maxLength: 64 }),
  principal: Principal,
  /** Hash of the host's conversation mark together with the connector's id. */
  caller_session: Type.Optional(Type.String({ maxLength: 128 })),
  contract_epoch: Type.Integer({ minimum: 1 }),
  /** How much time is left for this call, in ms, at the moment of sending. Relative, because no two clocks agree. */
  deadline_ms: Type.Integer({ minimum: 1 }),
  traceparent: Type.Optional(Type.String({ maxLength: 128 })),
});
/** A call without its arguments, which travel beside it as the bytes of one JSON object. */
export type CallEnvelope = Static<typeof CallEnvelope>;

export const ResultEnvelope = Type.Object({
  dispatch_id: Type.String({ pattern: '^d_[0-9a-f]{32}$' }),
  delivery: Type.Union([Type.Literal('not_delivered'), Type.Literal('delivered'), Type.Literal('unknown')]),
  ok: Type.Boolean(),
  /** The failure's code when `ok` is false. */
  code: Type.Optional(Type.String({ maxLength: 64 })),
  /** Length of the whole result in bytes: a serialised MCP `CallToolResult` without `_meta`. */
  size: Type.Integer({ minimum: 0 }),
  /** Time spent in the runtime, in ms with fractions, for the hop times in `_meta`. */
  runtime_ms: Type.Optional(Type.Number({ minimum: 0 })),
  /** True when this result was kept from an earlier run of the same dispatch. */
  replayed: Type.Optional(Type.Boolean()),
});
/** What became of a call; the result's bytes travel beside it and are parsed by nobody on the way. */
export type ResultEnvelope = Static<typeof ResultEnvelope>;

/**
 * The class of a call, decided once at the edge (or at the loopback door) and carried with it.
 * `herdr_call` is a read only when its inner method is listed as one; anything unknown is a write.
 */
export function classify(tool: string, args: Record<string, unknown>): CallClass {
  if (tool === 'herdr_call') {
    return typeof args.method === 'string' && isReadMethod(args.method) ? 'read' : 'write';
  }
  return READ_TOOLS.has(tool) ? 'read' : 'write';
}
