/** The MCP endpoint's door. */
export { forgetDevices } from './devices.ts';
export { mcp } from './endpoint.ts';
export { type Served, servedBy } from './served.ts';
