import { type IdentityEnv, MAIN } from '../http/index.ts';

/**
 * Makes the end of a connector (or an automation client) certain at every workstation that it could reach, so that a
 * token remembered by an isolate is refused where the call arrives. The fleet notes the end first: a workstation that
 * links from now on is told before its first call, and one that is away has nothing that could run. Those that may be
 * linked are told at once. Resolves with the devices where it is in force and those that have not confirmed it.
 */
export async function tellWorkstations(
  env: IdentityEnv,
  ended: { id: string; deviceId: string | null },
): Promise<{ confirmed: string[]; missing: string[] }> {
  const { linked, away } = await env.FLEET.getByName(MAIN).endPrincipal(ended);
  const settled = await Promise.allSettled(
    linked.map(async (deviceId) => {
      await env.WORKSTATION.getByName(deviceId).revokeConnector(ended.id);
      return deviceId;
    }),
  );
  const told = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { confirmed: [...told, ...away], missing: linked.filter((deviceId) => !told.includes(deviceId)) };
}
