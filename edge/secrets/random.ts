import { hex } from '../../contract/canonical.ts';

/** `bytes` random bytes as lower-case hex. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}
