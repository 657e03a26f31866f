/** Who uses an address of the edge, or may: whoever is not known to use another one counts. Pure. */
import type { Automation, Connector, ListedDevice } from '../../contract/fleet/index.ts';

export interface Fleet {
  devices: readonly Pick<ListedDevice, 'name' | 'origin'>[];
  connectors: readonly Pick<Connector, 'connector_id' | 'label' | 'state' | 'origin'>[];
  automations: readonly Pick<Automation, 'client_id' | 'name' | 'origin' | 'last_used_at_ms' | 'revoked_at_ms'>[];
}

/** One line each: who, and what lets go of the address. */
export function usersIn(origin: string, { devices, connectors, automations }: Fleet): string[] {
  const uses = (one: { origin?: string }) => one.origin === undefined || one.origin === origin;
  return [
    ...devices.filter(uses).map(({ name }) => `workstation ${name}: there, herdr-mcp worker move <hostname>`),
    ...connectors
      .filter((one) => one.state === 'approved' && uses(one))
      .map((one) => `connector ${one.label}: herdr-mcp connector revoke ${one.connector_id}`),
    ...automations
      .filter((one) => one.revoked_at_ms === undefined && one.last_used_at_ms !== undefined && uses(one))
      .map((one) => `client for CI ${one.name}: the new address, or herdr-mcp automation revoke ${one.client_id}`),
  ];
}
