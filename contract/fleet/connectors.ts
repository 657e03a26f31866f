/** REST shapes of connectors and of the requests that wait for approval. Times are ms since 1970. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { DeviceId, SixDigits } from './devices.ts';

const Closed = { additionalProperties: false };

export const RequestId = Type.String({ pattern: '^req_[0-9a-f]{16}$' });
export const ConnectorId = Type.String({ pattern: '^conn_[0-9a-f]{32}$' });

/** Who asks. `verified_domain` is present only when the app's own HTTPS document proves it; its name is a claim otherwise. */
export const App = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  verified_domain: Type.Optional(Type.String()),
  redirect_host: Type.String(),
});
export type App = Static<typeof App>;

const RequestState = Type.Union([
  Type.Literal('pending'),
  Type.Literal('locked'),
  Type.Literal('approved'),
  Type.Literal('denied'),
]);
export type RequestState = Static<typeof RequestState>;

/** A sign-in that waits for a paired workstation. Its code is shown on the sign-in page and nowhere else. */
export const PendingRequest = Type.Object({
  request_id: RequestId,
  state: RequestState,
  app: App,
  scopes: Type.Array(Type.String()),
  /** The edge address that the app was given. */
  origin: Type.String(),
  opened_at_ms: Type.Integer(),
  expires_at_ms: Type.Integer(),
  tries_left: Type.Integer(),
});
export type PendingRequest = Static<typeof PendingRequest>;

const ConnectorState = Type.Union([Type.Literal('approved'), Type.Literal('revoking'), Type.Literal('revoked')]);
export type ConnectorState = Static<typeof ConnectorState>;

/** One grant is one connector: two accounts of the same app are two. */
export const Connector = Type.Object({
  connector_id: ConnectorId,
  state: ConnectorState,
  app: App,
  label: Type.String(),
  scopes: Type.Array(Type.String()),
  read_only: Type.Boolean(),
  /** Absent when every device may be used. */
  device_id: Type.Optional(DeviceId),
  /** The edge address that it uses. Absent while that is not known. */
  origin: Type.Optional(Type.String()),
  approved_at_ms: Type.Integer(),
  approved_by: DeviceId,
  /** Absent until the app has fetched its first token. */
  connected_at_ms: Type.Optional(Type.Integer()),
  /** Written at most once a day. */
  last_used_at_ms: Type.Optional(Type.Integer()),
  ended_at_ms: Type.Optional(Type.Integer()),
  ended_why: Type.Optional(Type.String()),
});
export type Connector = Static<typeof Connector>;

/** `GET /connectors`. */
export const ConnectorList = Type.Object({
  ok: Type.Literal(true),
  requests: Type.Array(PendingRequest),
  connectors: Type.Array(Connector),
  observed_at_ms: Type.Integer(),
});
export type ConnectorList = Static<typeof ConnectorList>;

/** `POST /connectors/inspect`: one request or one connector. */
export const ConnectorInspect = Type.Union([
  Type.Object({ request_id: RequestId }, Closed),
  Type.Object({ connector_id: ConnectorId }, Closed),
]);
export type ConnectorInspect = Static<typeof ConnectorInspect>;

export const ConnectorInspected = Type.Object({
  ok: Type.Literal(true),
  request: Type.Optional(PendingRequest),
  connector: Type.Optional(Connector),
});
export type ConnectorInspected = Static<typeof ConnectorInspected>;

/** `POST /connectors/approve`. Without `request_id` the only open request is meant; several are `request_ambiguous`. */
export const ConnectorApprove = Type.Object(
  {
    request_id: Type.Optional(RequestId),
    code: SixDigits,
    read_only: Type.Optional(Type.Boolean()),
    device_id: Type.Optional(DeviceId),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })),
  },
  Closed,
);
export type ConnectorApprove = Static<typeof ConnectorApprove>;

export const ConnectorApproved = Type.Object({ ok: Type.Literal(true), connector: Connector });
export type ConnectorApproved = Static<typeof ConnectorApproved>;

/** `POST /connectors/deny`. */
export const ConnectorDeny = Type.Object({ request_id: RequestId }, Closed);
export type ConnectorDeny = Static<typeof ConnectorDeny>;

export const ConnectorDenied = Type.Object({ ok: Type.Literal(true), request: PendingRequest });
export type ConnectorDenied = Static<typeof ConnectorDenied>;

/** `POST /connectors/revoke`. Success means that every workstation has confirmed. */
export const ConnectorRevoke = Type.Object({ connector_id: ConnectorId }, Closed);
export type ConnectorRevoke = Static<typeof ConnectorRevoke>;

export const ConnectorRevoked = Type.Object({
  ok: Type.Literal(true),
  connector: Connector,
  /** Devices where the end is in force: told by now, or away and told before the first call of their next link. */
  confirmed_by: Type.Array(DeviceId),
});
export type ConnectorRevoked = Static<typeof ConnectorRevoked>;
