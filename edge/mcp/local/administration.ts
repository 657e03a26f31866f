/** Methods that act on the fleet itself (reference: edge-link 1.6 and 4.4). */

/** Where each is done instead. An approved connector is an ordinary user, so all of them are refused over MCP. */
const ADMINISTRATION: Readonly<Record<string, string>> = {
  'herdr_mcp.device.list': 'Call herdr_devices.',
  'herdr_mcp.device.pair': 'Ask the owner to run `herdr-mcp worker pair` on a paired workstation.',
  'herdr_mcp.device.rename': 'Ask the owner to run `herdr-mcp worker rename` on a paired workstation.',
  'herdr_mcp.device.pause': 'Ask the owner to run `herdr-mcp worker pause` on a paired workstation.',
  'herdr_mcp.device.suspend': 'Ask the owner to run `herdr-mcp worker suspend` on a paired workstation.',
  'herdr_mcp.device.revoke': 'Ask the owner to run `herdr-mcp worker revoke` on a paired workstation.',
  'herdr_mcp.connector.list': 'Ask the owner to run `herdr-mcp connector list` on a paired workstation.',
  'herdr_mcp.connector.approve': 'Ask the owner to run `herdr-mcp connector approve` on a paired workstation.',
  'herdr_mcp.connector.revoke': 'Ask the owner to run `herdr-mcp connector revoke` on a paired workstation.',
  'herdr_mcp.automation.list': 'Ask the owner to run `herdr-mcp automation list` on a paired workstation.',
  'herdr_mcp.automation.create': 'Ask the owner to run `herdr-mcp automation create` on a paired workstation.',
  'herdr_mcp.automation.revoke': 'Ask the owner to run `herdr-mcp automation revoke` on a paired workstation.',
};

export function administrationOf(method: string): string | undefined {
  return Object.hasOwn(ADMINISTRATION, method) ? ADMINISTRATION[method] : undefined;
}

const FLEET_CONTROL: ReadonlySet<string> = new Set([
  'herdr_mcp.work_chain.create',
  'herdr_mcp.work_chain.inspect',
  'herdr_mcp.work_chain.checkpoint.update',
  'herdr_mcp.planner_lease.acquire',
  'herdr_mcp.planner_lease.inspect',
  'herdr_mcp.planner_lease.renew',
  'herdr_mcp.planner_lease.release',
  'herdr_mcp.planner_lease.takeover',
  'herdr_mcp.execution_lane.create',
  'herdr_mcp.execution_lane.inspect',
  'herdr_mcp.execution_lane.update',
]);

export function isFleetControl(method: string): boolean {
  return FLEET_CONTROL.has(method);
}
