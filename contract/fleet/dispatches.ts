/** REST shapes of the edge's receipts, for the workstation whose writes they are. Times are ms since 1970. */
import type { Static } from 'typebox';
import * as Type from 'typebox';

/** What the edge saw of one write; what it did is in the workstation's own ledger. */
export const DispatchReceipt = Type.Object({
  dispatch_id: Type.String(),
  tool: Type.String(),
  /** `null` while it is under way, as far as the edge knows. */
  delivery: Type.Union([
    Type.Literal('not_delivered'),
    Type.Literal('delivered'),
    Type.Literal('unknown'),
    Type.Null(),
  ]),
  ok: Type.Union([Type.Boolean(), Type.Null()]),
  code: Type.Union([Type.String(), Type.Null()]),
  sent_at_ms: Type.Integer(),
  settled_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  size: Type.Union([Type.Integer(), Type.Null()]),
});
export type DispatchReceipt = Static<typeof DispatchReceipt>;

/** `GET /dispatches?last=N` or `?dispatch_id=d_…`, by a paired device: its own receipts, newest first. */
export const DispatchList = Type.Object({
  ok: Type.Literal(true),
  dispatches: Type.Array(DispatchReceipt),
  observed_at_ms: Type.Integer(),
});

/** A receipt in the words of the workstation's ledger, so that both can stand in one list; what nobody knows is left out. */
export function entryOfReceipt<Receipt extends DispatchReceipt>(receipt: Receipt) {
  const { delivery, ok, code, settled_at_ms, size, ...rest } = receipt;
  return {
    ...rest,
    state: delivery === null ? 'sent' : 'settled',
    delivery: delivery ?? 'unknown',
    ...(ok === null ? {} : { call_ok: ok }),
    ...(code === null ? {} : { code }),
    ...(settled_at_ms === null ? {} : { settled_at_ms }),
    ...(size === null ? {} : { size }),
  };
}
