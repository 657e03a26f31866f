/**
 * The internal routes of a runtime generation, which the link on the same machine calls. Loopback only, every one with
 * `authorization: Bearer <the state folder's runtime-token>`.
 *
 * | route | body | answer |
 * |---|---|---|
 * | `GET /facts` | | {@link RuntimeFacts} |
 * | `POST /call` | packed call | packed result, once the call has finished |
 * | `GET /calls` | | a stream of such calls and results, see `stream.ts` |
 * | `GET /held` | | {@link Held} |
 * | `GET /held/<dispatch_id>` | | packed result, once the call has finished; 404 when it is not held |
 * | `POST /cancel` | {@link CancelRequest} | {@link CancelAnswer} |
 * | `POST /settle` | {@link SettleRequest} | packed result; 404 when this ledger does not know that boot, 503 while it lives elsewhere |
 * | `POST /ack` | {@link AckRequest} | 204 |
 * | `POST /revoke` | {@link RevokeRequest} | 204 |
 *
 * `POST /call` with a known dispatch id joins the running call or gives its stored result, so a link that lost a
 * connection asks again and nothing runs twice. Closing a connection never cancels; only `POST /cancel` does.
 * A tool's failure is a packed result with status 200; any other status is a JSON body with `code` and `message`.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';

/** Where each route lives, so that both ends spell it the same. */
export const ROUTE = {
  facts: '/facts',
  call: '/call',
  calls: '/calls',
  held: '/held',
  cancel: '/cancel',
  settle: '/settle',
  ack: '/ack',
  revoke: '/revoke',
} as const;

const DispatchId = Type.String({ pattern: '^d_[0-9a-f]{32}$' });

/** Everything that this state folder's generations still keep for the link: running, or finished and unacknowledged. */
export const Held = Type.Object({
  boot_id: Type.String({ maxLength: 256 }),
  held: Type.Array(
    Type.Object({
      dispatch_id: DispatchId,
      state: Type.Union([Type.Literal('running'), Type.Literal('finished')]),
      class: Type.Union([Type.Literal('read'), Type.Literal('write')]),
    }),
  ),
});
export type Held = Static<typeof Held>;

export const CancelRequest = Type.Object({
  dispatch_id: DispatchId,
  reason: Type.Optional(Type.String({ maxLength: 256 })),
});
export type CancelRequest = Static<typeof CancelRequest>;

/** `cancelled` is false when the dispatch is unknown here or had already finished: nothing was stopped. */
export const CancelAnswer = Type.Object({ ok: Type.Literal(true), cancelled: Type.Boolean() });
export type CancelAnswer = Static<typeof CancelAnswer>;

/** What became of a write that was sent while `boot_id` served; one that never arrived is kept from ever running. */
export const SettleRequest = Type.Object({
  dispatch_id: DispatchId,
  boot_id: Type.String({ maxLength: 256 }),
});
export type SettleRequest = Static<typeof SettleRequest>;

/** The edge has these results; the runtime may forget them. Unknown ids are no error. */
export const AckRequest = Type.Object({ dispatch_ids: Type.Array(DispatchId) });
export type AckRequest = Static<typeof AckRequest>;

/** The connector's next call is refused here too. */
export const RevokeRequest = Type.Object({ connector_id: Type.String({ maxLength: 256 }) });
export type RevokeRequest = Static<typeof RevokeRequest>;
