/** Methods that act on the fleet itself (reference: edge-link 1.6). */

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
