import { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';
import { discoverOAuthServerInfo } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { ask, OLD_ORIGIN, ORIGIN } from './harness.ts';

afterEach(() => reset());

const json = async (path: string, origin = ORIGIN) => {
  const answer = await ask(path, { origin });
  expect([path, answer.status]).toEqual([path, 200]);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('cache-control')).toContain('public');
  return (await answer.json()) as Record<string, unknown>;
};

const SERVER_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/oauth-authorization-server',
  '/mcp/.well-known/openid-configuration',
];
const RESOURCE_PATHS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/mcp/.well-known/oauth-protected-resource',
];

describe('discovery', () => {
  it('is the same public document at every place, with absolute addresses', async () => {
    verifies('oauth.discovery');
    for (const origin of [ORIGIN, OLD_ORIGIN]) {
      for (const path of SERVER_PATHS) {
        expect(await json(path, origin)).toMatchObject({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          code_challenge_methods_supported: ['S256'],
          scopes_supported: ['mcp', 'offline_access'],
          client_id_metadata_document_supported: true,
        });
      }
      for (const path of RESOURCE_PATHS) {
        expect(await json(path, origin)).toEqual({
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['mcp'],
          bearer_methods_supported: ['header'],
          resource_name: 'herdr-mcp',
        });
      }
    }
  });

  it('answers preflights, and every alias of an endpoint that it does not name', async () => {
    verifies('oauth.discovery');
    const preflight = (path: string) =>
      ask(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://claude.ai', 'access-control-request-method': 'GET' },
      });
    for (const path of [
      ...SERVER_PATHS,
      ...RESOURCE_PATHS,
      '/register',
      '/token',
      '/oauth/token',
      '/mcp/token',
      '/revoke',
    ]) {
      const answer = await preflight(path);
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 204, '*']);
    }
    for (const path of ['/authorize', '/oauth/authorize', '/mcp/authorize', '/authorize/']) {
      expect((await ask(path)).status).toBe(400);
    }
  });

  it('agrees with what the library says of itself, as far as it says anything', async () => {
    const { providerFor } = await import('../../../edge/auth/provider.ts');
    const provider = providerFor(ORIGIN);
    expect(provider).toBeInstanceOf(OAuthAuthorizationServer);
    const request = new Request(`${ORIGIN}/.well-known/oauth-authorization-server`);
    const theirs = (await (await provider.fetch(request, {} as never, {} as never)).json()) as Record<string, unknown>;
    const ours = await json('/.well-known/oauth-authorization-server');
    const added = {
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      client_id_metadata_document_supported: true,
      revocation_endpoint: `${ORIGIN}/revoke`,
      token_endpoint_auth_methods_supported: expect.arrayContaining(
        theirs['token_endpoint_auth_methods_supported'] as string[],
      ),
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256'],
    };
    expect(ours).toEqual({ ...theirs, ...added });
  });

  it('leads the MCP client from the endpoint to the server', async () => {
    verifies('oauth.discovery');
    const fetchFn = (url: string | URL, init?: RequestInit) => {
      const { origin, pathname } = new URL(url);
      return ask(pathname, { ...init, origin });
    };
    const found = await discoverOAuthServerInfo(`${ORIGIN}/mcp`, { fetchFn });
    expect(found.authorizationServerUrl).toBe(ORIGIN);
    expect(found.resourceMetadata?.resource).toBe(`${ORIGIN}/mcp`);
    expect(found.authorizationServerMetadata?.registration_endpoint).toBe(`${ORIGIN}/register`);
  });
});
