/**
 * Device-aware refs: a workspace or pane id together with the device it lives on (reference: edge-link 4.3).
 * They carry affinity, not authority: whoever may not reach the device gains nothing from holding one.
 */

/** What a ref names: a workspace (`w`) or a pane (`p`) on device `d`. */
export type DeviceRef = { device: string; workspace: string } | { device: string; pane: string };

const PREFIX = 'herdr_ref_';

export function encodeRef(ref: DeviceRef): string {
  const body = 'workspace' in ref ? { v: 1, d: ref.device, w: ref.workspace } : { v: 1, d: ref.device, p: ref.pane };
  return PREFIX + base64url(JSON.stringify(body));
}

/** The ref, `null` for text that is no ref at all, `'malformed'` for one that claims to be a ref and is not. */
export function decodeRef(text: string): DeviceRef | null | 'malformed' {
  if (!text.startsWith(PREFIX)) return null;
  try {
    const body: unknown = JSON.parse(fromBase64url(text.slice(PREFIX.length)));
    if (typeof body !== 'object' || body === null) return 'malformed';
    const { v, d, w, p } = body as Record<string, unknown>;
    if (v !== 1 || typeof d !== 'string') return 'malformed';
    if (typeof w === 'string' && p === undefined) return { device: d, workspace: w };
    if (typeof p === 'string' && w === undefined) return { device: d, pane: p };
    return 'malformed';
  } catch {
    return 'malformed';
  }
}

function base64url(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
    Uint8Array.from(binary, (char) => char.charCodeAt(0)),
  );
}
