/**
 * How often one address may be refused. A guess costs the guesser a request and us a question to an object; above the
 * limit the address is told to wait without anybody being asked. Counted in the isolate: what it forgets costs a few
 * questions more. Only refusals count, so who shows a good token is never slowed by its own calls. On loopback, where
 * Cloudflare names no address, there is no stranger.
 */
import { callerAddress } from './address.ts';
import { REFUSALS_PER_MINUTE } from './limits.ts';
import { RateWindow } from './rate.ts';

const refusals = new RateWindow(REFUSALS_PER_MINUTE);

/** How long this address has to wait before anybody looks at its credentials again, in ms; 0 when it need not. */
export function refusedTooOften(headers: Headers, nowMs: number): number {
  const address = callerAddress(headers);
  return address === 'local' ? 0 : refusals.waitMs(address, nowMs);
}

/** Its credentials were worth nothing. */
export function countRefusal(headers: Headers, nowMs: number): void {
  const address = callerAddress(headers);
  if (address !== 'local') refusals.hit(address, nowMs);
}
