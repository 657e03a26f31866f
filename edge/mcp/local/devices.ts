import type { FleetDevice } from '../../http/index.ts';
import { healthOf, type Presence, presencesOf } from '../../presence/index.ts';
import { devicesOf } from '../devices.ts';
import { okResult } from '../result.ts';
import type { ToolAnswer, ToolCall } from '../tool-call.ts';

/** `herdr_devices`: the registry joined with what is known of each connection. What nobody could say is `unknown`. */
export async function listForCaller(call: ToolCall): Promise<ToolAnswer> {
  const { devices } = await devicesOf(call.env, { fresh: true });
  const { deviceId } = call.principal;
  const visible = devices.filter(
    (device) => device.authorization !== 'revoked' && (deviceId === undefined || device.device_id === deviceId),
  );
  const nowMs = Date.now();
  const presences = await presencesOf(call.env, visible, nowMs);
  const rows = visible.map((device, index) => row(device, presences[index], nowMs));
  const ofFleet = devices.find((device) => device.is_default)?.device_id;
  const default_device = deviceId === undefined ? (ofFleet ?? call.env.DEFAULT_DEVICE) : undefined;
  return {
    result: okResult({ devices: rows, ...(default_device ? { default_device } : {}), observed_at_ms: nowMs }),
    herdr: {},
  };
}

function row(device: FleetDevice, presence: Presence | undefined, nowMs: number): Record<string, unknown> {
  const about = {
    device_id: device.device_id,
    name: device.name,
    authorization: device.authorization,
    scheduling: device.paused ? 'paused' : 'enabled',
  };
  if (!presence) return { ...about, connection: 'unknown', health: 'unknown' };
  const { runtime } = presence;
  return {
    ...about,
    connection: presence.connection,
    health: healthOf(presence),
    ...(runtime
      ? {
          runtime_version: runtime.version,
          runtime_generation: runtime.generation,
          contract_epoch: runtime.contract_epoch,
          ...(runtime.herdr_version === undefined ? {} : { herdr_version: runtime.herdr_version }),
        }
      : {}),
    ...(presence.last_seen_at_ms === undefined ? {} : { last_seen_ago_ms: nowMs - presence.last_seen_at_ms }),
    active_calls: presence.active_calls,
    ...(presence.oldest_call_ms === undefined ? {} : { oldest_call_ms: presence.oldest_call_ms }),
  };
}
