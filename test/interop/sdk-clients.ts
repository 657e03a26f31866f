/** The two official SDK clients on the road: v2 in the newest era that it negotiates, v1 in the last one that it knows. */
import {
  Client as ClientV2,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import type { OAuthDiscoveryState as DiscoveryV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DemoOAuth, resultText, type SignInPage, signIn } from '../../scripts/demo/index.ts';
import { type Finished, goTheRoad, isRefused, revokeGrant, type Step } from './flow.ts';

type Approve = (page: SignInPage) => Promise<void>;

/** What the road needs of a client; each `open` is a new connection with the same memory of who it is. */
interface Party {
  oauth: {
    authorizationUrl: URL | undefined;
    expectedState: string;
    clientInformation(): { client_id: string } | undefined;
    discoveryState(): unknown;
    tokens(): { access_token: string; refresh_token?: string | undefined } | undefined;
  };
  /** Replaces the access token by one that nobody issued. */
  spoilAccessToken(): void;
  open(): { connect(): Promise<void>; finishAuth(query: URLSearchParams): Promise<void>; live: Live };
}

interface Live {
  protocol(): string;
  listTools(): Promise<{ tools: unknown[] }>;
  inspect(): Promise<unknown>;
  close(): Promise<void>;
}

export const roadOfV2 = (url: URL, approve: Approve): Promise<Finished> => {
  const oauth = new DemoOAuth<StoredOAuthClientInformation, StoredOAuthTokens, OAuthDiscoveryState>('interop v2');
  const party: Party = {
    oauth,
    spoilAccessToken: () => {
      const tokens = oauth.tokens();
      if (tokens) oauth.saveTokens({ ...tokens, access_token: SPOILT });
    },
    open: () => {
      const client = new ClientV2({ name: 'interop-v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const transport = new TransportV2(url, { authProvider: oauth });
      return {
        connect: () => client.connect(transport),
        finishAuth: (query) => transport.finishAuth(query),
        live: {
          protocol: () => client.getNegotiatedProtocolVersion() ?? 'unknown',
          listTools: () => client.listTools(),
          inspect: () => client.callTool({ name: 'herdr_inspect', arguments: {} }),
          close: () => client.close(),
        },
      };
    },
  };
  return goTheRoad('SDK v2 client', (note) => walk(party, url, approve, note));
};

export const roadOfV1 = (url: URL, approve: Approve): Promise<Finished> => {
  const oauth = new DemoOAuth<OAuthClientInformationMixed, OAuthTokens, DiscoveryV1>('interop v1');
  const party: Party = {
    oauth,
    spoilAccessToken: () => {
      const tokens = oauth.tokens();
      if (tokens) oauth.saveTokens({ ...tokens, access_token: SPOILT });
    },
    open: () => {
      const client = new ClientV1({ name: 'interop-v1', version: '1' });
      const transport = new TransportV1(url, { authProvider: oauth });
      return {
        connect: () => client.connect(transport as Transport),
        finishAuth: (query) => transport.finishAuth(query.get('code') ?? ''),
        live: {
          protocol: () => transport.protocolVersion ?? 'unknown',
          listTools: () => client.listTools(),
          inspect: () => client.callTool({ name: 'herdr_inspect', arguments: {} }),
          close: () => client.close(),
        },
      };
    },
  };
  return goTheRoad('SDK v1 client', (note) => walk(party, url, approve, note));
};

const SPOILT = `conn_${'0'.repeat(32)}:spoilt:spoilt`;

async function walk(
  party: Party,
  url: URL,
  approve: Approve,
  note: (step: Step, seen: string) => void,
): Promise<{ protocol: string }> {
  const { oauth } = party;
  const first = party.open();
  await first.connect().then(
    () => {
      throw new Error('a client without a token was let in');
    },
    (error: unknown) => {
      if (!oauth.authorizationUrl) throw error;
    },
  );
  const at = oauth.authorizationUrl as URL;
  if (oauth.discoveryState() === undefined) throw new Error('nothing was discovered');
  note('discover', '401 with the challenge led to the metadata');
  const clientId = oauth.clientInformation()?.client_id;
  if (clientId === undefined) throw new Error('no client was registered');
  note('register', 'dynamic registration');
  await first.finishAuth(await signIn(at, oauth.expectedState, approve));
  note('authorise', 'approved with the code from a paired workstation');
  const { connect, live } = party.open();
  await connect();
  const protocol = live.protocol();
  const { tools } = await live.listTools();
  note('list', `${tools.length} tools`);
  const { isError } = resultText(await live.inspect());
  if (isError) throw new Error('herdr_inspect was answered with an error');
  note('call', 'herdr_inspect through the link');
  const before = oauth.tokens()?.refresh_token;
  party.spoilAccessToken();
  await live.inspect();
  const renewed = oauth.tokens();
  if (!renewed?.refresh_token || renewed.refresh_token === before) throw new Error('the client did not refresh');
  note('refresh', 'a refused access token was renewed, the call went on');
  await live.close();
  await revokeGrant(url.href, clientId, renewed.refresh_token);
  if (!(await isRefused(url.href, renewed.access_token))) throw new Error('a revoked grant still works');
  note('revoke', 'the next call was 401 with the challenge');
  return { protocol };
}
