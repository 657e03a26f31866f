/** Methods that act on the fleet itself (reference: edge-link 1.6). */

/** Where each kind is done instead. An approved connector is an ordinary user, so all of them are refused over MCP. */
const COMMANDS: Readonly<Record<string, string>> = {
  'herdr_mcp.device.': 'worker',
  'herdr_mcp.connector.': 'connector',
  'herdr_mcp.automation.': 'automation',
};

/** What the owner does at a workstation for such a method; `undefined` for every other method. */
export function administrationOf(method: string): string | undefined {
  if (method === 'herdr_mcp.device.list') return 'Call herdr_devices.';
  const prefix = Object.keys(COMMANDS).find((start) => method.startsWith(start));
  if (prefix === undefined) return undefined;
  const verb = /^[a-z][a-z_]{0,31}$/.exec(method.slice(prefix.length))?.[0]?.replaceAll('_', '-') ?? '--help';
  return `Ask the owner to run \`herdr-mcp ${COMMANDS[prefix]} ${verb}\` on a paired workstation.`;
}
