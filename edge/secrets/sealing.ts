/**
 * Text kept so that only who presents the right secret can read it: the storage alone cannot.
 *
 * The key is derived from the secret itself (HKDF-SHA-256), which must have high entropy: a token, a code of the OAuth
 * flow, a page token. AES-256-GCM; the result is base64 of nonce and ciphertext.
 */
const utf8 = new TextEncoder();
const NONCE_BYTES = 12;

async function keyOf(secret: string, purpose: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8.encode(`herdr-mcp/1/${purpose}`) },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

/** Seals `text` under `secret` for one purpose. */
export async function seal(secret: string, purpose: string, text: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const box = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce },
    await keyOf(secret, purpose),
    utf8.encode(text),
  );
  const bytes = new Uint8Array(NONCE_BYTES + box.byteLength);
  bytes.set(nonce);
  bytes.set(new Uint8Array(box), NONCE_BYTES);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Opens what {@link seal} made; `undefined` for another secret, another purpose or damaged bytes. */
export async function unseal(secret: string, purpose: string, sealed: string): Promise<string | undefined> {
  const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
  try {
    const text = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES) },
      await keyOf(secret, purpose),
      bytes.subarray(NONCE_BYTES),
    );
    return new TextDecoder().decode(text);
  } catch {
    return undefined;
  }
}
