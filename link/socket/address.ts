/** Where a device's link connects. Pure. */
import { bareHost, isLoopback } from '../network/index.ts';

/** `wss://<edge>/ws/<device_id>`; plain `ws` for an edge on this machine only. Throws `Error` for any other origin. */
export function linkAddress(origin: string, deviceId: string): URL {
  const url = new URL(`/ws/${deviceId}`, origin);
  if (url.protocol === 'https:') url.protocol = 'wss:';
  else if (url.protocol === 'http:' && isLoopback(bareHost(url))) url.protocol = 'ws:';
  else throw new Error(`${origin} is not https, so the link would send its credential in the clear. Nothing was sent.`);
  return url;
}
