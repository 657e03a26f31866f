/** An access token for a test, earned the way a host earns one: registration, PKCE, consent page, approval, exchange. */
import { createHash, randomBytes } from 'node:crypto';
import { type SignInPage, signIn } from '../../scripts/demo/index.ts';

const REDIRECT = 'http://127.0.0.1/callback';

export interface Grant {
  clientId: string;
  accessToken: string;
  refreshToken: string;
}

/** Signs in at the edge of this MCP address; `approve` is given the page, as a person would read it. */
export async function earnToken(mcpUrl: string, approve: (page: SignInPage) => Promise<void>): Promise<Grant> {
  const origin = new URL(mcpUrl).origin;
  const registered = await json(`${origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'bench', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }),
  });
  const clientId = String(registered['client_id']);
  const verifier = randomBytes(48).toString('base64url');
  const state = randomBytes(12).toString('base64url');
  const url = new URL(`${origin}/authorize`);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: mcpUrl,
    scope: 'mcp',
    state,
  }).toString();
  const callback = await signIn(url, state, approve);
  const tokens = await json(`${origin}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.get('code') ?? '',
      code_verifier: verifier,
      client_id: clientId,
      redirect_uri: REDIRECT,
      resource: mcpUrl,
    }).toString(),
  });
  return { clientId, accessToken: String(tokens['access_token']), refreshToken: String(tokens['refresh_token']) };
}

async function json(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(url, init);
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}
