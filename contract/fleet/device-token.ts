/**
 * The short-lived token with which a paired workstation proves itself: a JWT signed by its Ed25519 key (RFC 8037).
 *
 * Pure: the workstation signs {@link deviceTokenInput} with its key and joins the parts, the edge splits and checks
 * them. A token lives at most {@link DEVICE_TOKEN_TTL_S}, names the edge's origin as its audience, and is accepted once
 * (`jti`). It travels as a bearer on REST calls and as a subprotocol on the link's upgrade, never in an address.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';

/** Longest life of a token in seconds: long enough for one slow handshake, too short to be worth stealing. */
export const DEVICE_TOKEN_TTL_S = 60;

/** The public half of a device's key as JWK (RFC 8037). Nothing else of the key ever reaches the edge. */
export const DevicePublicKey = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  },
  { additionalProperties: false },
);
export type DevicePublicKey = Static<typeof DevicePublicKey>;

/** `sub` is the device id, `aud` the edge's origin, `iat` and `exp` seconds since 1970, `jti` used once. */
export const DeviceClaims = Type.Object({
  sub: Type.String({ pattern: '^dev_[0-9A-HJKMNP-TV-Z]{26}$' }),
  aud: Type.String({ maxLength: 300 }),
  iat: Type.Integer({ minimum: 0 }),
  exp: Type.Integer({ minimum: 0 }),
  jti: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' }),
});
export type DeviceClaims = Static<typeof DeviceClaims>;

const Header = Type.Object({ alg: Type.Literal('EdDSA'), typ: Type.Literal('JWT') });

/** Longest token that the edge looks at, in characters. */
const DEVICE_TOKEN_CHARS_MAX = 1024;

/** The claims of a token made now. `nowMs` is the workstation's clock, corrected by what the edge last told it. */
export function deviceClaims(deviceId: string, origin: string, nowMs: number, jti: string): DeviceClaims {
  const iat = Math.floor(nowMs / 1000);
  return { sub: deviceId, aud: origin, iat, exp: iat + DEVICE_TOKEN_TTL_S, jti };
}

/** What has to be signed; the token is this, a dot, and the signature in base64url. */
export function deviceTokenInput(claims: DeviceClaims): string {
  return `${encode(JSON.stringify({ alg: 'EdDSA', typ: 'JWT' }))}.${encode(JSON.stringify(claims))}`;
}

export interface ParsedDeviceToken {
  claims: DeviceClaims;
  /** The bytes that the signature covers. */
  signed: string;
  /** base64url. */
  signature: string;
}

/** Splits a token and checks its shape, not its signature or times; `undefined` when it is not such a token. */
export function parseDeviceToken(token: string): ParsedDeviceToken | undefined {
  if (token.length > DEVICE_TOKEN_CHARS_MAX) return undefined;
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || !signature) return undefined;
  const claims = decode(payload);
  if (!Value.Check(Header, decode(header)) || !Value.Check(DeviceClaims, claims)) return undefined;
  return { claims, signed: `${header}.${payload}`, signature };
}

function encode(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(part: string): unknown {
  try {
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}
