/**
 * Frames of link protocol 2, between the link on the workstation and the device's object at the edge.
 *
 * A frame is one binary WebSocket message: four bytes big-endian length of the header, the header as UTF-8 JSON, then
 * the payload's bytes (a call's arguments, or a piece of a result), which nobody on the way parses. The text messages
 * `ping` and `pong` are the only others: the platform answers them without waking the object.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { CallEnvelope, ResultEnvelope } from '../call.ts';

export const LINK_PROTOCOL = 2;
export const LINK_SUBPROTOCOL = 'herdr-link.v2';
/** The credential travels as `herdr-auth.<jwt>` beside the subprotocol: no header can be set by every client. */
export const AUTH_SUBPROTOCOL_PREFIX = 'herdr-auth.';

/** Close codes of our own. Every other code means: reconnect. */
export const CLOSE = {
  /** The device was revoked; the link ends. */
  revoked: 4401,
  /** The runtime's contract is outside the window; the link waits for a promotion. */
  contract: 4403,
  /** A newer link of the same device took over; the link parks. */
  replaced: 4409,
  /** The first frame was no hello, or none came in time; reconnect. */
  handshake: 4400,
} as const;

const DispatchId = Type.String({ pattern: '^d_[0-9a-f]{32}$' });
const ShortText = Type.String({ maxLength: 256 });

/** What the active generation of the runtime says about itself. */
export const RuntimeFacts = Type.Object({
  version: ShortText,
  /** Which generation, `a` or `b`, and the boot that serves it. */
  generation: ShortText,
  boot_id: ShortText,
  contract_epoch: Type.Integer(),
  contract_hash: Type.String({ maxLength: 80 }),
  herdr_version: Type.Optional(ShortText),
  herdr_protocol: Type.Optional(Type.Integer()),
});
export type RuntimeFacts = Static<typeof RuntimeFacts>;

/**
 * The link's first frame, and again on the same socket whenever its runtime changed. It promises that `holds` is
 * complete when `runtime` is there: what neither lists was never had, or was lost with its process.
 */
const Hello = Type.Object({
  kind: Type.Literal('hello'),
  protocol: Type.Integer(),
  /** This process of the link; another one has another. */
  boot_id: ShortText,
  link_version: ShortText,
  /** Absent while no runtime answers; the edge then says `runtime_unavailable` instead of sending. */
  runtime: Type.Optional(RuntimeFacts),
  /** Every dispatch the link knows: still running, or finished and not acknowledged. */
  holds: Type.Array(
    Type.Object({ dispatch_id: DispatchId, state: Type.Union([Type.Literal('running'), Type.Literal('finished')]) }),
  ),
});

/** The answer to a hello. Only now is the link connected. */
const Welcome = Type.Object({
  kind: Type.Literal('welcome'),
  protocol: Type.Integer(),
  edge_version: ShortText,
  /** The edge's clock in ms since 1970, so that the link can name a difference. */
  now_ms: Type.Integer(),
  /** Dispatches that a caller still waits for: the link sends these results first. */
  awaited: Type.Array(DispatchId),
  /** Dispatches of the hello that nobody needs any more; acknowledged by this. */
  settled: Type.Array(DispatchId),
  /** Dispatches sent before and absent from the hello: the link never had them, or lost them with its process. */
  missing: Type.Array(DispatchId),
});

/** The answer to a hello that is not accepted; a close frame follows. */
const Refuse = Type.Object({
  kind: Type.Literal('refuse'),
  reason: Type.Union([
    Type.Literal('protocol'),
    Type.Literal('contract'),
    Type.Literal('revoked'),
    Type.Literal('suspended'),
  ]),
  message: Type.String({ maxLength: 1024 }),
});

/** A call; the payload is its arguments, one JSON object. */
const Call = Type.Object({ kind: Type.Literal('call'), call: CallEnvelope });

/**
 * The link has begun to hand this write to the runtime; until this arrives a cut leaves only "sent". Reads have none:
 * a lost read is sent again.
 */
const Accepted = Type.Object({ kind: Type.Literal('accepted'), dispatch_id: DispatchId });

/** A result, or one chunk of it; the payload is bytes `offset` … of a result of `result.size` bytes. */
const Result = Type.Object({
  kind: Type.Literal('result'),
  result: ResultEnvelope,
  /** Where this chunk begins in the result, in bytes. */
  offset: Type.Integer({ minimum: 0 }),
  /** No chunk follows. */
  last: Type.Boolean(),
});

/** The edge has the whole result; the link may forget it. */
const Ack = Type.Object({ kind: Type.Literal('ack'), dispatch_ids: Type.Array(DispatchId) });

/** The caller asked to stop: passed on to the running process, which then answers for itself. */
const Cancel = Type.Object({
  kind: Type.Literal('cancel'),
  dispatch_id: DispatchId,
  reason: Type.Optional(ShortText),
});

/**
 * Nobody knows what became of this write, and the link does not list it. The runtime's ledger says: the answer is a
 * `result`, either the stored one, or `not_delivered` from a ledger that never had it and now never runs it.
 */
const Settle = Type.Object({
  kind: Type.Literal('settle'),
  dispatch_id: DispatchId,
  /** The process of the runtime that the link saw when the write was sent: only its ledger may answer. */
  runtime_boot_id: ShortText,
});

/** Either side asks with `query: true`; the answer carries what the asked side knows. */
const Status = Type.Object({
  kind: Type.Literal('status'),
  query: Type.Boolean(),
  runtime: Type.Optional(RuntimeFacts),
  /** Calls under way. */
  active: Type.Optional(Type.Integer()),
  /** Age of the oldest finished result that the edge has not acknowledged, in ms. */
  oldest_unacknowledged_ms: Type.Optional(Type.Integer()),
});

/** No new calls: the link is about to stop. What runs is still answered. */
const Drain = Type.Object({ kind: Type.Literal('drain'), reason: ShortText });

/** A connector was revoked, seen from the edge: the runtime refuses its next call too. */
const Revoke = Type.Object({ kind: Type.Literal('revoke'), connector_id: ShortText });

/** A frame that could not be used. It never ends the connection. */
const Problem = Type.Object({
  kind: Type.Literal('problem'),
  code: Type.Union([
    Type.Literal('malformed'),
    Type.Literal('too_large'),
    Type.Literal('unknown_kind'),
    Type.Literal('out_of_order'),
  ]),
  message: Type.String({ maxLength: 1024 }),
  dispatch_id: Type.Optional(DispatchId),
});

export const FrameHeader = Type.Union([
  Hello,
  Welcome,
  Refuse,
  Call,
  Accepted,
  Result,
  Ack,
  Cancel,
  Settle,
  Status,
  Drain,
  Revoke,
  Problem,
]);
export type FrameHeader = Static<typeof FrameHeader>;
export type FrameOf<Kind extends FrameHeader['kind']> = Extract<FrameHeader, { kind: Kind }>;

/** Schemas by kind, for decoding: an unknown kind is tolerated as such, an ill-formed known one is not. */
export const FRAME_SCHEMAS = {
  hello: Hello,
  welcome: Welcome,
  refuse: Refuse,
  call: Call,
  accepted: Accepted,
  result: Result,
  ack: Ack,
  cancel: Cancel,
  settle: Settle,
  status: Status,
  drain: Drain,
  revoke: Revoke,
  problem: Problem,
} as const;
