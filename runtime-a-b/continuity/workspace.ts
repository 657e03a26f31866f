/** Which workspace is meant, exactly: with the key of its Herdr server, because two servers both have a `w1`. */
import { OutcomeError } from '../../contract/outcome.ts';
import { decodeRef } from '../../contract/refs.ts';
import type { MethodContext } from '../journal/index.ts';

/** `embedded/w1`, `h0123456789ab/w1`. */
const KEYED = /^(?:embedded|unknown|h[0-9a-f]{12})\/.+$/;

/** The stored form of a workspace's id, keyed id or ref. A plain id is meant on the Herdr that answers now. */
export function storedWorkspace(text: string, context: Pick<MethodContext, 'deviceId' | 'live'>): string {
  const ref = decodeRef(text);
  if (ref === 'malformed' || (ref !== null && !('workspace' in ref))) {
    throw refuse('is a ref of something else than a workspace');
  }
  if (ref !== null) {
    if (ref.device !== context.deviceId) throw refuse('is a ref of another workstation');
    return ref.workspace;
  }
  if (KEYED.test(text)) return text;
  const key = context.live.view().server?.key;
  if (key === undefined) throw refuse('is a plain id, and which Herdr it is meant on is not known now');
  return `${key}/${text}`;
}

function refuse(what: string): OutcomeError {
  return new OutcomeError('continuity_search_params_invalid', `workspace_id ${what}. Nothing was searched.`, {
    next: 'Give the ref of the workspace as herdr_inspect lists it.',
  });
}
