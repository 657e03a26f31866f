/** Which extension is ours. The key fixes the id wherever the folder lies; the native host admits this one origin. */

/** The public half of the key that the id is made of (base64 of its DER). The private half signs nothing that we ship. */
export const EXTENSION_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzv/iHChxMYdWCAHQaP9CiKkE9rB8QfOVJvbsFRRvq6BeZ+dc7h1krh6w2ASFDHf+1CtfdBFKHr1j86IkuiTAqPgWAI9qGIC2IVahxnEUNeotSqsp1nxGh2iIjEuXMTxxqWXMUMcYsk87Y9TOzL/kDlnJhAcOeGoYyZtvrop+1qk6L0B+o8ttv7ufJh5Lf3sMtzfYcV34CZ57S63/f8aX9F3DIA9ygjWicC/wJT/qzituCbVpaEdO7xKqwZ1DF5fHGBOARc2ggS8ZGJK/FVRNp6y9vwKMzLYo+lVWPPoL9PyFzU9aFj2VCgKl7h0rqyV6IbN8sze+k3e6mR2t8a9+TwIDAQAB';

/** The first 16 bytes of the key's SHA-256, each nibble as a letter from a to p. */
export const EXTENSION_ID = 'lmcefibepdfacliekadojopfiinlgnhg';

/** The name that the browser finds the native host by. */
export const NATIVE_HOST_NAME = 'dev.herdr.mcp';

export const extensionOrigin = (id: string): string => `chrome-extension://${id}/`;
