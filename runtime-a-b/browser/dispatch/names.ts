/** By what a dispatch is known: the key of whoever asked, and what is asked, the same in every browser. Pure. */
import { canonicalJson } from '../../../contract/canonical.ts';
import type { Asked } from './asked.ts';
import { sha256 } from './digest.ts';

/** What of a dispatch stays the same, however often it is offered. */
export function namesOf(asked: Asked) {
  const { provider, endpoint, account, space, session } = asked.place;
  const keySha256 = keyOf(asked);
  return {
    dispatchId: `bd_${sha256(canonicalJson([provider.provider, asked.operation, keySha256]))}`,
    endpointRef: endpoint.endpointRef,
    provider: provider.provider,
    accountRef: account.resourceRef,
    spaceRef: space?.resourceRef ?? '',
    operation: asked.operation,
    sessionRef: asked.operation === 'session.create' ? '' : (session?.resourceRef ?? ''),
    stopsDispatchId: asked.stopsDispatchId,
    sourceUrl: asked.sourceUrl,
    requestSha256: requestOf(asked),
    keySha256,
    messageSha256: asked.message === null ? null : sha256(asked.message),
    principalKind: asked.principal.kind,
    principalId: asked.principal.id,
    workChainId: asked.workChainId,
    laneId: asked.laneId,
    parentTarget: asked.parentTarget,
    displayLabel: asked.displayLabel,
  };
}

/** What is asked, in words that are the same in every browser that shows the same chat: its account is another one in each. */
export function requestOf({ operation, place, message, workChainId, stopsDispatchId, sourceUrl }: Asked): string {
  const { account, space, session } = place;
  const beside = sourceUrl === null ? account : { nativeSha256: sha256(sourceUrl) };
  const where = operation === 'session.create' ? (space ?? beside) : (session ?? account);
  return sha256(canonicalJson([operation, where.nativeSha256, message ?? '', workChainId, stopsDispatchId]));
}

/** A handoff's own id is one intention, whoever carries it out; any other key is its caller's. */
export function keyOf({ key, principal }: Pick<Asked, 'key' | 'principal'>): string {
  return /^hh_[0-9a-f]{32}$/.test(key)
    ? sha256(canonicalJson(['herdr-mcp/handoff-key', key]))
    : sha256(canonicalJson(['herdr-mcp/browser-key', principal.kind, principal.id, key]));
}
