/**
 * The fleet's door: which workstations are paired and may act, how a new one joins, and how a device proves itself.
 *
 * Decided here: pairing, the device registry's three axes without the connection, device tokens. Not decided here: which
 * device a call goes to (routing), whether one is connected (its own object), who may call over MCP (auth).
 */
import type { FleetDevice, FleetRpc, IdentityEnv } from '../http/index.ts';
import { MAIN } from '../http/index.ts';

export { admitLink, authenticateDevice, type FleetEnv, fleetOf } from './authenticate.ts';
export { type DeviceIdentity, Fleet } from './object.ts';
export { fleetRoutes } from './routes.ts';

/** Every device, revoked ones too, oldest first, for routing. Connection is not in it. */
export async function listDevices(env: {
  FLEET: IdentityEnv['FLEET'] | DurableObjectNamespace<FleetRpc>;
}): Promise<FleetDevice[]> {
  return env.FLEET.getByName(MAIN).listDevices();
}
