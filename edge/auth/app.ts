/** Who asks, as a person sees it. Pure: everything here came from a stranger and is made harmless for display. */
import type { ClientInfo } from '@cloudflare/workers-oauth-provider';
import type { App } from '../../contract/fleet/index.ts';
import { APP_NAME_CHARS } from '../http/index.ts';

/** Controls, and the marks that reorder or hide text: a name must not be able to rewrite the line it stands in. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** The app of a sign-in. The domain is verified only for a client whose id is its own HTTPS document. */
export function appOf(client: Pick<ClientInfo, 'clientId' | 'clientName'>, redirectUri: string): App {
  const domain = documentHost(client.clientId);
  return {
    client_id: client.clientId,
    name: displayName(client.clientName) ?? domain ?? client.clientId,
    ...(domain === undefined ? {} : { verified_domain: domain }),
    redirect_host: redirectHost(redirectUri),
  };
}

/** A name on one line, without invisible characters, cut to what a page and a terminal can show. */
export function displayName(name: string | undefined): string | undefined {
  const clean = (name ?? '').replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
  if (clean === '') return undefined;
  const characters = [...clean];
  return characters.length <= APP_NAME_CHARS ? clean : `${characters.slice(0, APP_NAME_CHARS - 1).join('')}…`;
}

function documentHost(clientId: string): string | undefined {
  const url = URL.parse(clientId);
  return url?.protocol === 'https:' ? url.hostname : undefined;
}

/**
 * The host that the code is sent to; a desktop app's own scheme has none, so it is the whole address. That is written as
 * the browser's own form of it, without a space and in printable ASCII: it must not be able to say a sentence of its own,
 * nor to hide or reorder a part of itself.
 */
export function redirectHost(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return 'an address that cannot be read';
  if (url.protocol === 'https:' || url.protocol === 'http:') return url.host;
  const plain = url.href.replace(/[^!-~]/gu, encodeURIComponent);
  return plain.slice(0, APP_NAME_CHARS * 2);
}

/** Whether the code goes to a program on the visitor's own computer, whatever name it claims. */
export function isLocalRedirect(redirectUri: string): boolean {
  const url = URL.parse(redirectUri);
  if (!url) return false;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return true;
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
}

/** The scopes that a request is granted: always `mcp`, and `offline_access` when it was asked for. */
export function grantedScopes(asked: readonly string[]): string[] {
  return asked.includes('offline_access') ? ['mcp', 'offline_access'] : ['mcp'];
}
