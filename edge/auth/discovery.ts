/** The public documents from which a client finds its way from a 401 to a sign-in. Pure: an origin in, a document out. */
import { resourceOf } from '../http/index.ts';
import { ENDPOINTS, SCOPES } from './provider.ts';

/** RFC 8414 metadata; the same document at every place where a client may look. */
export function authorizationServerMetadata(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}${ENDPOINTS.authorize}`,
    token_endpoint: `${origin}${ENDPOINTS.token}`,
    registration_endpoint: `${origin}${ENDPOINTS.register}`,
    revocation_endpoint: `${origin}${ENDPOINTS.revoke}`,
    scopes_supported: [...SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [resourceOf(origin)],
  };
}

/** RFC 9728 metadata of the MCP endpoint. Only the scope that any access needs is named. */
export function protectedResourceMetadata(origin: string): Record<string, unknown> {
  return {
    resource: resourceOf(origin),
    authorization_servers: [origin],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
    resource_name: 'herdr-mcp',
  };
}

/** Where authorization-server metadata is looked for: root, path-inserted, and below the endpoint. */
export const AUTHORIZATION_SERVER_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/oauth-authorization-server',
  '/mcp/.well-known/openid-configuration',
] as const;

/** Where the resource's metadata is looked for. */
export const PROTECTED_RESOURCE_PATHS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/mcp/.well-known/oauth-protected-resource',
] as const;
