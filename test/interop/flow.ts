/** The road that each client has to go to its end, and what is noted on the way. */
export const STEPS = ['discover', 'register', 'authorise', 'list', 'call', 'refresh', 'revoke'] as const;
export type Step = (typeof STEPS)[number];

export interface Finished {
  client: string;
  protocol: string;
  /** What was seen at each step; a step that is absent was not reached. */
  seen: Partial<Record<Step, string>>;
  /** Why it ended early. */
  problem?: string;
}

/** Goes the road and notes what was seen. Never rejects: what went wrong is the result. */
export async function goTheRoad(
  client: string,
  go: (note: (step: Step, seen: string) => void) => Promise<{ protocol: string }>,
): Promise<Finished> {
  const seen: Finished['seen'] = {};
  try {
    const { protocol } = await go((step, what) => {
      seen[step] = what;
    });
    const missing = STEPS.filter((step) => seen[step] === undefined);
    return { client, protocol, seen, ...(missing.length > 0 ? { problem: `without ${missing.join(', ')}` } : {}) };
  } catch (error) {
    return { client, protocol: 'unknown', seen, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Ends a grant as a host does that signs out (RFC 7009), where the authorisation server's own metadata says. */
export async function revokeGrant(mcpUrl: string, clientId: string, token: string): Promise<void> {
  const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', mcpUrl));
  const { revocation_endpoint: endpoint } = (await metadata.json()) as { revocation_endpoint?: string };
  if (endpoint === undefined) throw new Error('the metadata names no revocation endpoint');
  const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }) });
  if (answer.status !== 200) throw new Error(`revocation was answered ${answer.status}`);
}

/** Whether a bearer is refused with the challenge now. */
export async function isRefused(mcpUrl: string, token: string): Promise<boolean> {
  const answer = await fetch(mcpUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'herdr_inspect', arguments: {} },
    }),
  });
  return answer.status === 401 && (answer.headers.get('www-authenticate') ?? '').includes('resource_metadata=');
}
