import { hex } from '../../contract/canonical.ts';

const utf8 = new TextEncoder();

/**
 * Hex SHA-256 over a purpose and the parts, each length-prefixed, so that no two lists of parts share a digest.
 * For high-entropy secrets only; six digits need {@link import('./codes.ts').sixDigits}.
 */
export async function digest(purpose: string, ...parts: string[]): Promise<string> {
  const joined = [purpose, ...parts].map((part) => `${part.length}:${part}`).join('');
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(joined))));
}
