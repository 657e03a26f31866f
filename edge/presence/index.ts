/**
 * Whether workstations are connected, for who lists them or has a question for all of them.
 *
 * The truth is each device's own object's. It is asked only where a link may be there (the fleet's receipt says for whom
 * that is excluded), all at once and for a bounded time; what nobody could say in that time is unknown.
 */
import {
  type DeviceStatus,
  type FleetDevice,
  type IdentityEnv,
  LINK_ENDED_LATELY_MS,
  PRESENCE_MS,
} from '../http/index.ts';
import { logFault } from '../log.ts';

export type Presence = Pick<
  DeviceStatus,
  'connection' | 'last_seen_at_ms' | 'runtime' | 'draining' | 'active_calls' | 'oldest_call_ms'
>;

/** In the order of the devices; `undefined` is unknown. */
export async function presencesOf(
  env: { WORKSTATION: Pick<IdentityEnv['WORKSTATION'], 'getByName'> },
  devices: readonly FleetDevice[],
  nowMs: number,
): Promise<(Presence | undefined)[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PRESENCE_MS);
  });
  const presences = devices.map((device) =>
    isAway(device, nowMs) ? away(device) : Promise.race([ask(env, device.device_id), late]),
  );
  try {
    return await Promise.all(presences);
  } finally {
    clearTimeout(timer);
  }
}

/** Certain without asking. Right after an end there may still be calls that wait for the link, which only its object counts. */
export function isAway({ may_be_linked, link_ended_at_ms }: FleetDevice, nowMs: number): boolean {
  return !may_be_linked && (link_ended_at_ms === undefined || link_ended_at_ms < nowMs - LINK_ENDED_LATELY_MS);
}

const away = ({ link_ended_at_ms }: FleetDevice): Presence => ({
  connection: 'offline',
  ...(link_ended_at_ms === undefined ? {} : { last_seen_at_ms: link_ended_at_ms }),
  draining: false,
  active_calls: 0,
});

async function ask(
  env: { WORKSTATION: Pick<IdentityEnv['WORKSTATION'], 'getByName'> },
  deviceId: string,
): Promise<Presence | undefined> {
  try {
    return await env.WORKSTATION.getByName(deviceId).status();
  } catch (error) {
    logFault('workstation.status', error, { device: deviceId });
    return undefined;
  }
}

/** One word for the state of what a call would meet. */
export function healthOf(presence: Presence | undefined): 'ok' | 'draining' | 'runtime_unavailable' | 'unknown' {
  if (presence?.connection !== 'online') return 'unknown';
  if (!presence.runtime) return 'runtime_unavailable';
  return presence.draining ? 'draining' : 'ok';
}
