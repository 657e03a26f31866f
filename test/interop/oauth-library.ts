/**
 * A general OAuth library that knows nothing of MCP's SDKs on the road: it holds every document and answer against the RFCs
 * (9728, 8414, 7591, 6749, 7636, 9207, 7009) and rejects what deviates. Tools are called by plain JSON-RPC.
 */
import * as oauth from 'oauth4webapi';
import { type SignInPage, signIn } from '../../scripts/demo/index.ts';
import { type Finished, goTheRoad, isRefused } from './flow.ts';

const REDIRECT = 'http://127.0.0.1/callback';
/** The edge of a run is on loopback, in plain text. */
const LOCAL = { [oauth.allowInsecureRequests]: true };

export const roadOfLibrary = (url: URL, approve: (page: SignInPage) => Promise<void>): Promise<Finished> =>
  goTheRoad('oauth4webapi, without an SDK', async (note) => {
    const challenge = await challengeOf(url);
    const resource = await oauth.processResourceDiscoveryResponse(
      url,
      await oauth.resourceDiscoveryRequest(url, LOCAL),
    );
    const issuer = new URL(resource.authorization_servers?.[0] ?? '');
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...LOCAL });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    note('discover', `${challenge}, then RFC 9728 and RFC 8414`);

    const asked = { client_name: 'interop library', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, asked, LOCAL),
    );
    note('register', 'dynamic registration');

    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: url.href,
      scope: resource.scopes_supported?.join(' ') ?? '',
      state,
    }).toString();
    const answer = oauth.validateAuthResponse(server, client, await signIn(address, state, approve), state);
    const more = { additionalParameters: { resource: url.href }, ...LOCAL };
    const open = oauth.None();
    const granted = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, open, answer, REDIRECT, verifier, more),
    );
    note('authorise', 'approved with the code from a paired workstation; PKCE, state and issuer checked');

    const listed = await ask(url, granted.access_token, 'tools/list', {});
    note('list', `${(listed['tools'] as unknown[]).length} tools`);
    await inspect(url, granted.access_token);
    note('call', 'herdr_inspect through the link');

    const renewed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, open, granted.refresh_token ?? '', more),
    );
    if (renewed.refresh_token === granted.refresh_token) throw new Error('the refresh token was not replaced');
    await inspect(url, renewed.access_token);
    note('refresh', 'the new token was taken, and a new refresh token came with it');

    const over = await oauth.revocationRequest(server, client, open, renewed.refresh_token ?? '', LOCAL);
    await oauth.processRevocationResponse(over);
    if (!(await isRefused(url.href, renewed.access_token))) throw new Error('a revoked grant still works');
    note('revoke', 'RFC 7009; the next call was 401 with the challenge');
    return { protocol: '2025-11-25' };
  });

/** What a token that nobody issued is answered; throws unless it is a challenge that leads to the metadata. */
async function challengeOf(url: URL): Promise<string> {
  try {
    await ask(url, 'nobody-issued-this', 'tools/list', {});
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    const [first] = error.cause;
    if (error.status !== 401 || first?.parameters['resource_metadata'] === undefined) throw error;
    return '401 with a challenge';
  }
  throw new Error('a token that nobody issued was taken');
}

async function inspect(url: URL, token: string): Promise<void> {
  const { isError } = await ask(url, token, 'tools/call', { name: 'herdr_inspect', arguments: {} });
  if (isError === true) throw new Error('herdr_inspect was answered with an error');
}

async function ask(url: URL, token: string, method: string, params: object): Promise<Record<string, unknown>> {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await oauth.protectedResourceRequest(token, 'POST', url, headers, body, LOCAL);
  const text = await answer.text();
  const data = (answer.headers.get('content-type') ?? '').startsWith('text/event-stream')
    ? (/^data: (.*)$/m.exec(text)?.[1] ?? '')
    : text;
  const { result } = JSON.parse(data) as { result?: Record<string, unknown> };
  if (result === undefined) throw new Error(`${method} was answered ${text.slice(0, 200)}`);
  return result;
}
