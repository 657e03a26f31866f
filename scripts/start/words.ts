import { relative } from 'node:path';
import type { Product } from './product.ts';

export interface Surroundings {
  repository: string;
  /** Root of the clone whose `npm` commands are named. */
  clone: string;
  /** The state folder, when it is not the clone's own: every command must then name it. */
  stateDir?: string;
}

/** What a person needs to know once everything runs. */
export function runningSentences(product: Product, { repository, clone, stateDir }: Surroundings): string[] {
  const { mcpUrl, herdr, workspace, device } = product;
  const into = clone === repository || relative(clone, repository) === '' ? '' : `cd ${clone} && `;
  const command = `${into}${stateDir === undefined ? '' : `HERDR_MCP_STATE_DIR=${stateDir} `}npm run`;
  return [
    '',
    `  MCP URL     ${mcpUrl}`,
    `  workspace   ${workspace.label} (${workspace.id}) on ${repository}`,
    `  Herdr       ${herdr.embedded ? `embedded ${herdr.version}` : `yours, ${herdr.version}`}`,
    `  device      ${device.name} (${device.device_id})`,
    '',
    mcpUrl.startsWith('https://') ? 'Connect a client:' : 'Connect a client on this machine:',
    ...(mcpUrl.startsWith('https://')
      ? [
          '  ChatGPT        Settings, Apps & Connectors, Advanced, Developer mode; then Create, the MCP URL, OAuth',
          '  Claude.ai      Settings, Connectors, Add custom connector, the MCP URL',
        ]
      : []),
    `  Claude Code    claude mcp add --transport http herdr ${mcpUrl}`,
    `  any client     { "mcpServers": { "herdr": { "type": "http", "url": "${mcpUrl}" } } }`,
    `  Inspector      npx @modelcontextprotocol/inspector, then Streamable HTTP and ${mcpUrl}`,
    ...(mcpUrl.startsWith('https://')
      ? []
      : ['  ChatGPT and Claude.ai reach public addresses only: README.md says how to deploy.']),
    '',
    'Its sign-in page shows six digits. Approve it in another terminal:',
    `  ${command} herdr-mcp -- connector approve`,
    '',
    `See all of it at work:  ${command} demo`,
    'Ctrl-C ends everything.',
    '',
  ];
}
