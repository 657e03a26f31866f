import { relative } from 'node:path';
import type { Product } from './index.ts';

/** What a person needs to know once everything runs. */
export function runningSentences(product: Product, repository: string, from: string): string[] {
  const { mcpUrl, herdr, workspace, device } = product;
  return [
    '',
    `  MCP URL     ${mcpUrl}`,
    `  workspace   ${workspace.label} (${workspace.id}) on ${repository}`,
    `  Herdr       ${herdr.embedded ? `embedded ${herdr.version}` : `yours, ${herdr.version}`}`,
    `  device      ${device.name} (${device.device_id})`,
    '',
    'Connect a client on this machine:',
    `  Claude Code    claude mcp add --transport http herdr ${mcpUrl}`,
    `  any client     { "mcpServers": { "herdr": { "type": "http", "url": "${mcpUrl}" } } }`,
    `  Inspector      npx @modelcontextprotocol/inspector, then Streamable HTTP and ${mcpUrl}`,
    '  ChatGPT and Claude.ai reach public addresses only: README.md says how to deploy.',
    '',
    'Its sign-in page shows six digits. Approve it in another terminal:',
    `  ${from === repository || relative(from, repository) === '' ? '' : `cd ${from} && `}npm run herdr-mcp -- connector approve`,
    '',
    'See all of it at work:  npm run demo',
    'Ctrl-C ends everything.',
    '',
  ];
}
