/** Who this workstation is to its edge: what it is registered as, and what proves it. */
import { LocalError } from '../../local/error/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { type Device, readDevice } from './device.ts';
import { loadDeviceKey } from './key.ts';
import { DeviceSigner } from './token.ts';

export interface Identity {
  device: Device;
  signer: DeviceSigner;
}

/** The paired identity of a state folder. Throws a {@link LocalError} that says what to do when there is none. */
export async function openIdentity(stateDir: string): Promise<Identity> {
  const device = await readDevice(stateDir);
  if (device === undefined) {
    throw new LocalError(
      'not_paired',
      'This machine is not paired with an edge.',
      'Pair it: `herdr-mcp worker connect "<address>"` with the address and code from a paired workstation.',
    );
  }
  const key = await loadDeviceKey(await openSecrets(stateDir));
  if (key === undefined) {
    throw new LocalError(
      'device_key_missing',
      `This machine is paired as ${device.name}, but its key is not kept here, so it cannot prove itself.`,
      'Unlock the keychain if the key is there; otherwise pair this machine again.',
    );
  }
  return { device, signer: new DeviceSigner(device.device_id, device.edge_origin, key) };
}
