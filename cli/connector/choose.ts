import type { PendingRequest } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';

/** The one request that is meant, or several of which none is chosen, or why there is none. */
export type Choice =
  | { one: PendingRequest; open: PendingRequest[] }
  | { several: true; open: PendingRequest[] }
  | { refused: LocalError };

/** Pure. Only waiting requests count; several are never narrowed by guessing. */
export function chooseRequest(requests: readonly PendingRequest[], id: string | undefined, mcpUrl: string): Choice {
  const open = requests.filter((request) => request.state === 'pending');
  if (id !== undefined) {
    const named = requests.find((request) => request.request_id === id);
    if (named?.state === 'pending') return { one: named, open: [named] };
    const why = named ? `is ${named.state}` : 'is not open';
    return {
      refused: new LocalError('request_not_found', `The request ${id} ${why}.`, 'See `herdr-mcp connector list`.'),
    };
  }
  const [only] = open;
  if (only === undefined) {
    return {
      refused: new LocalError(
        'no_request',
        'No sign-in waits for approval.',
        `Add ${mcpUrl} to the web AI or client first; its sign-in page shows the code.`,
      ),
    };
  }
  return open.length === 1 ? { one: only, open } : { several: true, open };
}
