/** Which workstation a call means that names none: kept by the edge, because it is one truth for the whole fleet. */
import { DeviceDefaultSet, DeviceList } from '../../contract/fleet/index.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { say } from '../terminal/index.ts';

/** `value` is a device's id, its exact name, or `none`. Throws when it means no workstation of the fleet. */
export async function setDefaultDevice(value: string): Promise<void> {
  const edge = await openEdge();
  const device_id = value === 'none' ? null : await idOf(edge, value);
  const answer = await edge.call(
    DeviceDefaultSet,
    { method: 'POST', path: '/devices/default', body: { device_id } },
    'The default was not changed',
  );
  say(
    answer.device
      ? `A call that names no workstation goes to ${answer.device.name} (${answer.device.device_id}).`
      : 'There is no default: a call that could mean several workstations is refused with the candidates.',
  );
}

async function idOf(edge: Awaited<ReturnType<typeof openEdge>>, value: string): Promise<string> {
  const { devices } = await edge.call(DeviceList, { method: 'GET', path: '/devices' }, 'The devices were not listed');
  const found = devices.find(({ device_id }) => device_id === value) ?? devices.find(({ name }) => name === value);
  if (found) return found.device_id;
  throw new UsageError(
    `No workstation is called "${value}". \`herdr-mcp worker list\` shows them; nothing was changed.`,
  );
}
