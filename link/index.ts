/** What other planes may use of the link: its status, a retry, pairing, and REST calls to the edge as this device. */
import { lockHolder } from '../local/files/index.ts';
import { statePaths } from '../local/paths/index.ts';

export {
  type Device,
  type DeviceRequest,
  type Identity,
  moveDevice,
  openIdentity,
  type PairOptions,
  pair,
  pairFirst,
  parsePairingAddress,
  readDevice,
  refusedByEdge,
  requestAsDevice,
  rotateKey,
} from './identity/index.ts';
export { connectionTo } from './network/index.ts';
export { type LinkReport, type LinkState, type LinkStatus, readLinkStatus } from './status/index.ts';

/**
 * Asks the link of a state folder to try now: it ends a wait, also the one of a replaced link. False when none runs.
 * The process is found by its lock, which knows its start time, so no other process is ever signalled.
 */
export function requestRetry(stateDir: string): boolean {
  const holder = lockHolder(statePaths(stateDir).linkLock);
  if (holder === undefined) return false;
  process.kill(holder.pid, 'SIGUSR2');
  return true;
}
