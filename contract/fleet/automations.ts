/** REST shapes of automation clients: client credentials for CI, each bound to one device. Times are ms since 1970. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { DeviceId, DeviceName } from './devices.ts';

const Closed = { additionalProperties: false };

export const AutomationId = Type.String({ pattern: '^auto_[0-9a-f]{32}$' });

/** Never with its secret. */
export const Automation = Type.Object({
  client_id: AutomationId,
  name: DeviceName,
  device_id: DeviceId,
  created_at_ms: Type.Integer(),
  created_by: DeviceId,
  rotated_at_ms: Type.Optional(Type.Integer()),
  last_used_at_ms: Type.Optional(Type.Integer()),
  /** The edge address at which it was last used. Absent while that is not known. */
  origin: Type.Optional(Type.String()),
  revoked_at_ms: Type.Optional(Type.Integer()),
});
export type Automation = Static<typeof Automation>;

/** `GET /automations`. */
export const AutomationList = Type.Object({ ok: Type.Literal(true), automations: Type.Array(Automation) });
export type AutomationList = Static<typeof AutomationList>;

/** `POST /automations`. */
export const AutomationCreate = Type.Object({ name: DeviceName, device_id: DeviceId }, Closed);
export type AutomationCreate = Static<typeof AutomationCreate>;

/** `POST /automations/rotate` and `/automations/revoke`. */
export const AutomationTarget = Type.Object({ client_id: AutomationId }, Closed);
export type AutomationTarget = Static<typeof AutomationTarget>;

/** The only time that the secret is shown. */
export const AutomationSecret = Type.Object({
  ok: Type.Literal(true),
  automation: Automation,
  client_secret: Type.String(),
  token_endpoint: Type.String(),
  scope: Type.Literal('mcp'),
});
export type AutomationSecret = Static<typeof AutomationSecret>;

export const AutomationRevoked = Type.Object({ ok: Type.Literal(true), automation: Automation });
export type AutomationRevoked = Static<typeof AutomationRevoked>;
