/**
 * Going over to another address of the same edge, and noticing it in a link that runs. The address is asked first whether
 * it knows this machine; only then is it written down, so that a wrong one changes nothing.
 */
import * as Value from 'typebox/value';
import { DeviceList } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import type { Environment } from '../network/index.ts';
import { type Device, readDevice, writeDevice } from './device.ts';
import type { Identity } from './identity.ts';
import { loadDeviceKey } from './key.ts';
import { isUsableOrigin } from './pairing.ts';
import { refusedByEdge, requestAsDevice } from './rest.ts';
import { DeviceSigner } from './token.ts';

/**
 * Makes this machine use `address`, a host or an origin, and resolves with what is recorded then. A running link follows
 * by itself; calls outlive that. Throws a {@link LocalError} when the address does not know this machine.
 */
export async function moveDevice(
  { device }: Identity,
  stateDir: string,
  address: string,
  environment: Environment = process.env,
): Promise<Device> {
  const url = URL.parse(address.includes('://') ? address : `https://${address}`);
  if (url === null || !isUsableOrigin(url) || !['/', '/mcp'].includes(url.pathname)) {
    throw new LocalError(
      'edge_origin_invalid',
      `${address} is no address of an edge. Nothing was changed.`,
      'Name its host, as in herdr.example.org.',
    );
  }
  if (url.origin === device.edge_origin) return device;
  const key = await loadDeviceKey(await openSecrets(stateDir));
  if (key === undefined) {
    throw new LocalError('device_key_missing', 'The key of this machine is not kept here.', 'herdr-mcp doctor');
  }
  const signer = new DeviceSigner(device.device_id, url.origin, key);
  const answer = await requestAsDevice(url.origin, signer, { method: 'GET', path: '/devices' }, environment);
  const list = answer.status === 200 && Value.Check(DeviceList, answer.body) ? answer.body : undefined;
  if (list?.self !== device.device_id) throw refusedByEdge(answer, 'This machine was not moved');
  const moved = { ...device, edge_origin: url.origin, mcp_url: `${url.origin}/mcp` };
  await writeDevice(stateDir, moved);
  return moved;
}

/**
 * Takes over what another process has recorded: `moved` to another address, under which the identity goes on; `replaced`
 * by another device, for which it cannot speak. A record that cannot be read leaves everything as it is.
 */
export async function followDevice(identity: Identity, stateDir: string): Promise<'same' | 'moved' | 'replaced'> {
  const recorded = await readDevice(stateDir).catch((error: unknown) => {
    if (error instanceof LocalError) return undefined;
    throw error;
  });
  if (recorded === undefined) return 'same';
  if (recorded.device_id !== identity.device.device_id) return 'replaced';
  if (recorded.edge_origin === identity.device.edge_origin) return 'same';
  identity.device = recorded;
  identity.signer.useOrigin(recorded.edge_origin);
  return 'moved';
}
