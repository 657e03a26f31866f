/** The MCP SDK's own OAuth client against the edge: what it does is what hosts do. */

import {
  discoverOAuthServerInfo,
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { ask, callMcp, Device, ORIGIN, poll, REDIRECT, readPage } from './harness.ts';

afterEach(() => reset());

const fetchFn = (url: string | URL, init?: RequestInit): Promise<Response> => {
  const { origin, pathname, search } = new URL(url);
  return ask(`${pathname}${search}`, { ...init, origin });
};

describe('the MCP client’s own sign-in', () => {
  it('discovers, registers, authorises, exchanges and refreshes, each step sent twice', async () => {
    verifies('oauth.code-flow', 'oauth.refresh-grace');
    const device = await Device.first();
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = await discoverOAuthServerInfo(
      `${ORIGIN}/mcp`,
      {
        fetchFn,
      },
    );
    if (!metadata) throw new Error('no metadata was found');
    const register = () =>
      registerClient(authorizationServerUrl, {
        metadata,
        clientMetadata: { client_name: 'SDK', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
        scope: 'mcp offline_access',
        fetchFn,
      });
    const clientInformation = await register();
    await register();
    const resource = new URL(`${ORIGIN}/mcp`);
    const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
      metadata,
      clientInformation,
      redirectUrl: REDIRECT,
      scope: 'mcp offline_access',
      state: 'some-state',
      resource,
    });
    const load = async () => readPage(await fetchFn(authorizationUrl));
    const page = await load();
    expect((await load()).code).toBe(page.code);
    const approve = () => device.post('/connectors/approve', { request_id: page.requestId, code: page.code });
    expect((await approve()).status).toBe(200);
    expect((await approve()).status).toBe(200);
    const answered = new URL((await poll(page)).redirect ?? '').searchParams;
    const code = answered.get('code') ?? '';
    const iss = answered.get('iss') ?? '';
    const exchange = () =>
      exchangeAuthorization(authorizationServerUrl, {
        metadata,
        clientInformation,
        authorizationCode: code,
        iss,
        codeVerifier,
        redirectUri: REDIRECT,
        resource,
        fetchFn,
      });
    const [tokens, again] = await Promise.all([exchange(), exchange()]);
    expect(again).toEqual(tokens);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    const refresh = () =>
      refreshAuthorization(authorizationServerUrl, {
        metadata,
        clientInformation,
        refreshToken: tokens.refresh_token ?? '',
        resource,
        fetchFn,
      });
    const [next, twin] = await Promise.all([refresh(), refresh()]);
    expect(twin).toEqual(next);
    expect((await callMcp(next.access_token)).status).toBe(200);
  });
});
