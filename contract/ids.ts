/** Ids that more than one plane reads. Makers take random bytes, so that everything here stays pure. */
import { hex } from './canonical.ts';

/** `d_` and 32 hex digits; the first 12 are the time in ms, so that ids sort by age. */
export function dispatchId(nowMs: number, random: Uint8Array): string {
  return `d_${timeOrdered(nowMs, random)}`;
}

/** 48 bits of time and 80 random bits, as 32 hex digits. `random` holds at least 10 bytes. */
export function timeOrdered(nowMs: number, random: Uint8Array): string {
  return nowMs.toString(16).padStart(12, '0') + hex(random.subarray(0, 10));
}

export const DISPATCH_ID = /^d_[0-9a-f]{32}$/;

/** The time that a dispatch id was made, in ms since 1970. */
export function dispatchTimeMs(id: string): number {
  return Number.parseInt(id.slice(2, 14), 16);
}

/** `dev_` and a ULID of 26 characters (Crockford base 32). */
export const DEVICE_ID = /^dev_[0-9A-HJKMNP-TV-Z]{26}$/;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 48 bits of time, 80 random bits. `random` holds at least 10 bytes. */
export function ulid(nowMs: number, random: Uint8Array): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++) {
    time = CROCKFORD[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let value = 0n;
  for (const byte of random.subarray(0, 10)) value = (value << 8n) | BigInt(byte);
  let tail = '';
  for (let i = 0; i < 16; i++) {
    tail = CROCKFORD[Number(value & 31n)] + tail;
    value >>= 5n;
  }
  return time + tail;
}
