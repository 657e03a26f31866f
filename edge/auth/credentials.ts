/** How a client names and proves itself at the token endpoint. Pure. */
export interface Presented {
  clientId: string;
  clientSecret?: string;
  /** The `Authorization` header as it came, when it was Basic. */
  basic?: string;
}

/** Reads the client from the form or from HTTP Basic (RFC 6749 section 2.3.1). The library judges what it is worth. */
export function presentedBy(form: URLSearchParams, authorization: string | null): Presented {
  const basic = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '');
  if (basic?.[1] && authorization) {
    const pair = decodeBasic(basic[1]);
    if (pair) return { ...pair, basic: authorization };
  }
  const clientSecret = form.get('client_secret');
  return {
    clientId: form.get('client_id') ?? '',
    ...(clientSecret ? { clientSecret } : {}),
    ...(basic && authorization ? { basic: authorization } : {}),
  };
}

function decodeBasic(encoded: string): { clientId: string; clientSecret: string } | undefined {
  try {
    const text = atob(encoded);
    const colon = text.indexOf(':');
    if (colon < 0) return undefined;
    return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
