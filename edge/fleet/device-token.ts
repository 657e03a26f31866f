/** Judging a device's token: pure decisions, with the clock and the key as arguments. */
import {
  DEVICE_TOKEN_TTL_S,
  type DeviceClaims,
  type DevicePublicKey,
  type ParsedDeviceToken,
} from '../../contract/fleet/index.ts';
import { CLOCK_LEEWAY_S } from '../http/index.ts';

export type TimeJudgement = 'ok' | 'clock_skew' | 'too_long';

/**
 * Whether a token's times fit the clock. A token that claims to live longer than the contract allows is refused
 * whatever the clock says; one from the past or the future is a question of clocks, and the answer carries ours.
 */
export function judgeTimes(claims: Pick<DeviceClaims, 'iat' | 'exp'>, nowMs: number): TimeJudgement {
  if (claims.exp - claims.iat > DEVICE_TOKEN_TTL_S || claims.exp <= claims.iat) return 'too_long';
  const now = nowMs / 1000;
  return claims.iat > now + CLOCK_LEEWAY_S || claims.exp < now - CLOCK_LEEWAY_S ? 'clock_skew' : 'ok';
}

/** When a token can no longer be accepted by anybody, in ms: until then its `jti` must be remembered. */
export function forgettableAtMs(claims: Pick<DeviceClaims, 'exp'>): number {
  return (claims.exp + CLOCK_LEEWAY_S + 1) * 1000;
}

/** Whether the signature is the key's. A key that cannot be imported signs nothing. */
export async function signedBy(publicKey: DevicePublicKey['x'], token: ParsedDeviceToken): Promise<boolean> {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
    const key = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, false, ['verify']);
    const signature = Uint8Array.from(atob(token.signature.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
      c.charCodeAt(0),
    );
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, new TextEncoder().encode(token.signed));
  } catch {
    return false;
  }
}
