/** The host of a client that is the address of its own document: what it answers, and how the client signs. */
import { vi } from 'vitest';
import { ORIGIN, REDIRECT } from './harness.ts';

export const DOCUMENT = 'https://chat.host.dev/oauth/client.json';

export const documentOf = (changes: Record<string, unknown> = {}) => ({
  client_id: DOCUMENT,
  client_name: 'Chat Host',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
  ...changes,
});

/** The client's host: answers what a test says, and counts what it was asked. */
export function host(answer: (address: string, init: RequestInit | undefined) => Response | Promise<Response>) {
  return vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (input, init) => answer(input instanceof Request ? input.url : String(input), init));
}

const b64 = (value: ArrayBuffer | string) => {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
};

/** A key of the client’s, as its document publishes it, and what it signs. */
export async function signer() {
  const keys = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const jwk = (await crypto.subtle.exportKey('jwk', keys.publicKey)) as JsonWebKey;
  const sign = async (claims: Record<string, unknown> = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const body = { iss: DOCUMENT, sub: DOCUMENT, aud: ORIGIN, exp: now + 300, jti: crypto.randomUUID(), ...claims };
    const input = `${b64(JSON.stringify({ alg: 'ES256', kid: 'k1' }))}.${b64(JSON.stringify(body))}`;
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      keys.privateKey,
      new TextEncoder().encode(input),
    );
    return `${input}.${b64(signature)}`;
  };
  return { jwks: { keys: [{ ...jwk, kid: 'k1', use: 'sig' }] }, sign };
}
