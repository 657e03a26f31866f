/** The short-lived tokens of this device, and the edge's clock as far as it is known. */
import { randomBytes } from 'node:crypto';
import { deviceClaims, deviceTokenInput } from '../../contract/fleet/index.ts';
import type { DeviceKey } from './key.ts';

export class DeviceSigner {
  readonly deviceId: string;
  #key: DeviceKey;
  #origin: string;
  readonly #now: () => number;
  #offsetMs = 0;

  /** `now` is the workstation's clock in ms since 1970. */
  constructor(deviceId: string, origin: string, key: DeviceKey, now: () => number = Date.now) {
    this.deviceId = deviceId;
    this.#origin = origin;
    this.#key = key;
    this.#now = now;
  }

  /** A new token, valid for 60 s, accepted once. */
  token(): string {
    const jti = randomBytes(18).toString('base64url');
    const input = deviceTokenInput(deviceClaims(this.deviceId, this.#origin, this.#now() + this.#offsetMs, jti));
    return `${input}.${this.#key.sign(input)}`;
  }

  /** Signs with this key from now on: it was rotated by another process. */
  useKey(key: DeviceKey): void {
    this.#key = key;
  }

  /** Its tokens are for this address from now on. */
  useOrigin(origin: string): void {
    this.#origin = origin;
  }

  /** Takes over the edge's clock. Returns how far ours is behind it, in ms (negative: ahead). */
  correctClock(edgeNowMs: number): number {
    this.#offsetMs = edgeNowMs - this.#now();
    return this.#offsetMs;
  }

  /** What is added to this machine's clock in tokens, in ms. */
  get clockOffsetMs(): number {
    return this.#offsetMs;
  }
}
