/** The demo's client: the official v2 SDK, signed in. */
import {
  Client,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type SignInPage, signIn } from './browser.ts';
import { DemoOAuth } from './oauth.ts';

/** What the conversation needs of any MCP client. */
export interface McpParty {
  server: { name: string; version: string };
  protocol: string;
  listTools(): Promise<{ name: string; title?: string }[]>;
  /** The text of the result, and whether the host would show it as an error. */
  call(name: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
  /** The client goes away, connection and all; its sign-in stays. */
  close(): Promise<void>;
  /** A new client with the same sign-in takes its place. */
  comeBack(): Promise<void>;
}

export type Connect = (url: URL, approve: (page: SignInPage) => Promise<void>) => Promise<McpParty>;

/** Discovers, registers, signs in (`approve` is called with the page), and connects in the newest era both ends speak. */
export const connectV2: Connect = async (url, approve) => {
  const oauth = new DemoOAuth<StoredOAuthClientInformation, StoredOAuthTokens, OAuthDiscoveryState>('herdr-mcp demo');
  const open = () => {
    const client = new Client({ name: 'herdr-mcp-demo', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(url, { authProvider: oauth });
    return { client, transport };
  };
  let { client, transport } = open();
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || !oauth.authorizationUrl) throw error;
    await transport.finishAuth(await signIn(oauth.authorizationUrl, oauth.expectedState, approve));
    ({ client, transport } = open());
    await client.connect(transport);
  }
  let connected = client;
  const version = connected.getServerVersion();
  return {
    server: { name: version?.name ?? '', version: version?.version ?? '' },
    protocol: connected.getNegotiatedProtocolVersion() ?? 'unknown',
    listTools: async () =>
      (await connected.listTools()).tools.map(({ name, title }) => ({ name, ...(title ? { title } : {}) })),
    call: async (name, args) => resultText(await connected.callTool({ name, arguments: args })),
    close: () => connected.close(),
    async comeBack() {
      const again = open();
      await again.client.connect(again.transport);
      connected = again.client;
    },
  };
};

/** The text of a tool result; anything else in it is named, not dropped. */
export function resultText(result: unknown): { text: string; isError: boolean } {
  const { content, isError } = result as { content: { type: string; text?: string }[]; isError?: boolean };
  return { text: content.map((part) => part.text ?? `[${part.type}]`).join('\n'), isError: isError === true };
}
