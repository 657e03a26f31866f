import { logFault } from '../../log.ts';
import type { RoutableDevice } from '../../routing/index.ts';
import type { WorkstationStatus } from '../../workstation/index.ts';
import { devicesOf } from '../devices.ts';
import type { ToolAnswer, ToolCall } from '../tool-call.ts';
import { okResult } from './result.ts';

/** `herdr_devices`: the registry joined with one question to each device's object. What nobody could say is `unknown`. */
export async function listForCaller(call: ToolCall): Promise<ToolAnswer> {
  const { devices } = await devicesOf(call.env, { fresh: true });
  const { deviceId } = call.principal;
  const visible = devices.filter(
    (device) => device.authorization !== 'revoked' && (deviceId === undefined || device.device_id === deviceId),
  );
  const nowMs = Date.now();
  const rows = await Promise.all(visible.map(async (device) => row(device, await statusOf(call, device), nowMs)));
  const default_device = call.env.DEFAULT_DEVICE;
  return {
    result: okResult({ devices: rows, ...(default_device ? { default_device } : {}), observed_at_ms: nowMs }),
    herdr: {},
  };
}

async function statusOf(call: ToolCall, device: RoutableDevice): Promise<WorkstationStatus | undefined> {
  try {
    return await call.env.WORKSTATION.getByName(device.device_id).status();
  } catch (error) {
    logFault('workstation.status', error, { device: device.device_id });
    return undefined;
  }
}

function row(device: RoutableDevice, status: WorkstationStatus | undefined, nowMs: number): Record<string, unknown> {
  const about = {
    device_id: device.device_id,
    name: device.name,
    authorization: device.authorization,
    scheduling: device.paused ? 'paused' : 'enabled',
  };
  if (!status) return { ...about, connection: 'unknown', health: 'unknown' };
  const { runtime } = status;
  return {
    ...about,
    connection: status.connection,
    health:
      status.connection !== 'online'
        ? 'unknown'
        : !runtime
          ? 'runtime_unavailable'
          : status.draining
            ? 'draining'
            : 'ok',
    ...(runtime
      ? {
          runtime_version: runtime.version,
          runtime_generation: runtime.generation,
          contract_epoch: runtime.contract_epoch,
          ...(runtime.herdr_version === undefined ? {} : { herdr_version: runtime.herdr_version }),
        }
      : {}),
    ...(status.last_seen_at_ms === undefined ? {} : { last_seen_ago_ms: nowMs - status.last_seen_at_ms }),
    active_calls: status.active_calls,
    ...(status.oldest_call_ms === undefined ? {} : { oldest_call_ms: status.oldest_call_ms }),
  };
}
