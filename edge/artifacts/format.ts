/** Whether bytes are what their declared type says. Pure. A type is believed only with its signature. */
import { ARTIFACT_TYPES, type ArtifactType } from '../../contract/artifacts/index.ts';

/** The type without parameters, when it is one that is taken. */
export function typeOf(contentType: string | null): ArtifactType | undefined {
  const bare = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return ARTIFACT_TYPES.find((known) => known === bare);
}

export function isOfType(type: ArtifactType, bytes: Uint8Array): boolean {
  switch (type) {
    case 'image/png':
      return starts(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    case 'image/jpeg':
      return starts(bytes, [0xff, 0xd8, 0xff]);
    case 'image/gif':
      return ascii(bytes, 'GIF87a') || ascii(bytes, 'GIF89a');
    case 'image/webp':
      return ascii(bytes, 'RIFF') && ascii(bytes, 'WEBP', 8);
    case 'application/pdf':
      return ascii(bytes, '%PDF-');
    case 'application/zip':
      return starts(bytes, [0x50, 0x4b, 3, 4]) || starts(bytes, [0x50, 0x4b, 5, 6]);
    case 'application/gzip':
      return starts(bytes, [0x1f, 0x8b, 8]);
    case 'application/x-tar':
      return ascii(bytes, 'ustar', 257);
    case 'application/json':
      return isJson(bytes);
    case 'application/octet-stream':
      return !isExecutable(bytes);
    default:
      return textOf(bytes) !== undefined;
  }
}

/** Programs: ELF, PE, Mach-O in its four writings, universal and Java, WebAssembly, and scripts with an interpreter. */
const EXECUTABLES: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x00, 0x61, 0x73, 0x6d],
  [0x23, 0x21],
];

function isExecutable(bytes: Uint8Array): boolean {
  return EXECUTABLES.some((signature) => starts(bytes, signature));
}

function isJson(bytes: Uint8Array): boolean {
  const text = textOf(bytes);
  if (text === undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** UTF-8 without NUL, or `undefined`. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function starts(bytes: Uint8Array, signature: readonly number[], at = 0): boolean {
  return signature.every((byte, n) => bytes[at + n] === byte);
}

function ascii(bytes: Uint8Array, text: string, at = 0): boolean {
  return starts(
    bytes,
    [...text].map((letter) => letter.charCodeAt(0)),
    at,
  );
}
