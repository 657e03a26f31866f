/**
 * Six-digit codes and page tokens that are never stored: each is an HMAC of what it belongs to, keyed by a Worker secret.
 *
 * A snapshot of the storage therefore holds nothing to guess at offline, and the same page opened twice shows the same
 * code. Every purpose has its own key, derived from the one secret: a pairing code says nothing about an approval.
 */
export type CodePurpose = 'pairing-code' | 'approval-code' | 'page-token';

const utf8 = new TextEncoder();

async function mac(secret: string, purpose: CodePurpose, subject: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const root = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['sign']);
  const purposeKey = await crypto.subtle.sign('HMAC', root, utf8.encode(`herdr-mcp/1/${purpose}`));
  const key = await crypto.subtle.importKey('raw', purposeKey, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(subject)));
}

/** The code of `subject`, which holds a random nonce. 64 bits taken modulo a million: the bias is below 1 in 10^13. */
export async function sixDigits(secret: string, purpose: CodePurpose, subject: string): Promise<string> {
  const view = new DataView((await mac(secret, purpose, subject)).buffer);
  return (view.getBigUint64(0) % 1_000_000n).toString().padStart(6, '0');
}

/** 256 bits in base64url that only the page which was served for `subject` knows. */
export async function pageToken(secret: string, subject: string): Promise<string> {
  return base64url(await mac(secret, 'page-token', subject));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
