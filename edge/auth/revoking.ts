import { type IdentityEnv, MAIN } from '../http/index.ts';

/**
 * Tells every workstation that a connector (or an automation client) has ended, so that a token remembered by an isolate is refused where the call
 * arrives. Resolves with the devices that confirmed and those that did not; a device that is revoked gets no calls anyway.
 */
export async function tellWorkstations(
  env: IdentityEnv,
  ended: { id: string; deviceId: string | null },
): Promise<{ confirmed: string[]; missing: string[] }> {
  const devices = await env.FLEET.getByName(MAIN).listDevices();
  const concerned = devices
    .filter((device) => device.authorization !== 'revoked')
    .map((device) => device.device_id)
    .filter((deviceId) => ended.deviceId === null || ended.deviceId === deviceId);
  const settled = await Promise.allSettled(
    concerned.map(async (deviceId) => {
      await env.WORKSTATION.getByName(deviceId).revokeConnector(ended.id);
      return deviceId;
    }),
  );
  const confirmed = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { confirmed, missing: concerned.filter((deviceId) => !confirmed.includes(deviceId)) };
}
