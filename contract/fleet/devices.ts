/** REST shapes of pairing and devices. Times are ms since 1970. Every success carries `ok: true`. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { DevicePublicKey } from './device-token.ts';

const Closed = { additionalProperties: false };

/** A device's name as people type it: one line, no control characters. */
export const DeviceName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
export const DeviceId = Type.String({ pattern: '^dev_[0-9A-HJKMNP-TV-Z]{26}$' });
const PairingId = Type.String({ pattern: '^pair_[0-9a-f]{32}$' });
/** Six digits that a person reads from one screen and types at another. */
export const SixDigits = Type.String({ pattern: '^[0-9]{6}$' });

/** `POST /devices/pairings`, by a paired device or, the first time, with the operator secret as bearer. */
export const PairingRequest = Type.Object({ name: Type.Optional(DeviceName) }, Closed);
export type PairingRequest = Static<typeof PairingRequest>;

/** `address` is `<origin>/pair#<pairing_id>`: the id stands in the fragment, so it reaches no log. */
export const Pairing = Type.Object({
  ok: Type.Literal(true),
  pairing_id: PairingId,
  code: SixDigits,
  address: Type.String(),
  expires_at_ms: Type.Integer(),
});
export type Pairing = Static<typeof Pairing>;

/** `POST /devices/pairings/consume`, by the new workstation. Sending it twice with the same key gives the same device. */
export const PairingConsume = Type.Object(
  { pairing_id: PairingId, code: SixDigits, public_key: DevicePublicKey, name: Type.Optional(DeviceName) },
  Closed,
);
export type PairingConsume = Static<typeof PairingConsume>;

export const Paired = Type.Object({
  ok: Type.Literal(true),
  device_id: DeviceId,
  name: DeviceName,
  /** The audience of this device's tokens, and where its link connects. */
  origin: Type.String(),
  /** The MCP address to give to a web AI. */
  mcp_url: Type.String(),
});
export type Paired = Static<typeof Paired>;

/** May it act at all. Revoked is for ever: the machine pairs again as a new device. */
export const Authorization = Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('revoked')]);
export type Authorization = Static<typeof Authorization>;

/** `paused` is scheduling: the device stays connected and gets no calls. Connection is not here; its own object knows. */
export const Device = Type.Object({
  device_id: DeviceId,
  name: DeviceName,
  authorization: Authorization,
  paused: Type.Boolean(),
  paired_at_ms: Type.Integer(),
  /** The edge address that it last used. Absent while that is not known. */
  origin: Type.Optional(Type.String()),
  /** Present for the one that is meant by a call that names none. */
  is_default: Type.Optional(Type.Literal(true)),
});
export type Device = Static<typeof Device>;

/** A device with its connection, the third of the axes that are never folded into one. */
export const ListedDevice = Type.Object({
  ...Device.properties,
  connection: Type.Union([
    Type.Literal('online'),
    Type.Literal('stale'),
    Type.Literal('offline'),
    Type.Literal('unknown'),
  ]),
  last_seen_ago_ms: Type.Optional(Type.Integer()),
  runtime_version: Type.Optional(Type.String()),
});
export type ListedDevice = Static<typeof ListedDevice>;

/** `GET /devices`. Revoked devices are tombstones and not listed. */
export const DeviceList = Type.Object({
  ok: Type.Literal(true),
  devices: Type.Array(ListedDevice),
  /** The device that asked. */
  self: DeviceId,
  observed_at_ms: Type.Integer(),
});
export type DeviceList = Static<typeof DeviceList>;

export const DeviceRename = Type.Object({ device_id: DeviceId, name: DeviceName }, Closed);
export type DeviceRename = Static<typeof DeviceRename>;

/** `POST /devices/revoke`, `/pause`, `/resume`, `/suspend`, `/restore`: always by the immutable id. */
export const DeviceTarget = Type.Object({ device_id: DeviceId }, Closed);
export type DeviceTarget = Static<typeof DeviceTarget>;

/** `POST /devices/default`: which one a call means that names none; `null` for none. */
export const DeviceDefault = Type.Object({ device_id: Type.Union([DeviceId, Type.Null()]) }, Closed);
export type DeviceDefault = Static<typeof DeviceDefault>;

/** Answer to it: the one that is meant now. */
export const DeviceDefaultSet = Type.Object({ ok: Type.Literal(true), device: Type.Union([Device, Type.Null()]) });
export type DeviceDefaultSet = Static<typeof DeviceDefaultSet>;

/** `POST /devices/rotate-key`, by the device itself under its old key. */
export const DeviceRotateKey = Type.Object({ public_key: DevicePublicKey }, Closed);
export type DeviceRotateKey = Static<typeof DeviceRotateKey>;

/** Answer to every change of one device. */
export const DeviceChanged = Type.Object({ ok: Type.Literal(true), device: Device });
export type DeviceChanged = Static<typeof DeviceChanged>;
