/** The v1 SDK client, which most hosts of today are built on, behind the same face as the demo's. */

import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Connect, DemoOAuth, resultText, signIn } from '../../scripts/demo/index.ts';

export const connectV1: Connect = async (url, approve) => {
  const oauth = new DemoOAuth<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>('herdr-mcp demo v1');
  const open = () => ({
    client: new Client({ name: 'herdr-mcp-demo-v1', version: '1' }),
    transport: new StreamableHTTPClientTransport(url, { authProvider: oauth }),
  });
  let { client, transport } = open();
  try {
    await client.connect(transport as Transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || !oauth.authorizationUrl) throw error;
    const query = await signIn(oauth.authorizationUrl, oauth.expectedState, approve);
    await transport.finishAuth(query.get('code') ?? '');
    ({ client, transport } = open());
    await client.connect(transport as Transport);
  }
  let connected = client;
  const used = transport;
  const version = connected.getServerVersion();
  return {
    server: { name: version?.name ?? '', version: version?.version ?? '' },
    protocol: used.protocolVersion ?? 'unknown',
    listTools: async () =>
      (await connected.listTools()).tools.map(({ name, title }) => ({ name, ...(title ? { title } : {}) })),
    call: async (name, args) => resultText(await connected.callTool({ name, arguments: args })),
    close: () => connected.close(),
    async comeBack() {
      const again = open();
      await again.client.connect(again.transport as Transport);
      connected = again.client;
    },
  };
};
