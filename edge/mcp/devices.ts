/** The fleet list that routing reads, remembered for a few seconds in the isolate. */
import { type Fleet, listDevices } from '../fleet/index.ts';
import type { FleetDevice } from '../http/index.ts';
import { DEVICES_CACHE_MS } from '../limits.ts';

let remembered: { devices: readonly FleetDevice[]; untilMs: number } | undefined;

/**
 * Every device, revoked ones too. `fresh` asks `Fleet` whatever is remembered. A remembered list may be some seconds
 * behind; that a revoked device or connector gets nothing is what the device's own object makes sure of.
 */
export async function devicesOf(
  env: { FLEET: DurableObjectNamespace<Fleet> },
  options: { fresh?: boolean } = {},
): Promise<{ devices: readonly FleetDevice[]; fresh: boolean }> {
  const nowMs = Date.now();
  if (remembered && remembered.untilMs > nowMs && !options.fresh) return { devices: remembered.devices, fresh: false };
  const devices = await listDevices(env);
  remembered = { devices, untilMs: nowMs + DEVICES_CACHE_MS };
  return { devices, fresh: true };
}

/** Forgets the list; for whoever has just changed the fleet. */
export function forgetDevices(): void {
  remembered = undefined;
}
