import type { IdentityEnv } from '../http/index.ts';
import { logFault } from '../log.ts';
import type { DeviceRow } from './devices.ts';

/**
 * Tells a device's own object what the registry says of it, so that it takes effect at once and not when somebody's list
 * of devices grows old. Told again while the registry changes under it: two changes at the same time end with the last
 * word. Resolves with whether the object has confirmed.
 */
export async function tellWorkstation(env: IdentityEnv, read: () => DeviceRow | undefined): Promise<boolean> {
  for (;;) {
    const told = read();
    if (!told) return false;
    const { authorization, paused, deviceId } = told;
    const object = env.WORKSTATION.getByName(deviceId);
    try {
      if (authorization === 'revoked') await object.revokeDevice();
      else await object.setStanding({ suspended: authorization === 'suspended', paused });
    } catch (error) {
      logFault('device_standing', error, { device: deviceId });
      return false;
    }
    const now = read();
    if (now?.authorization === authorization && now.paused === paused) return true;
  }
}
