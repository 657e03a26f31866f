/**
 * Refs of accounts, Projects and chats: digests over the browser, the site, the place and the site's own id. They name
 * nothing outside of this workstation, and no name, address or id can be read out of them.
 */
import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm/sql';
import { NO_ACCOUNT, type ResourceObserve } from '../../contract/extension/registry.ts';
import type { State } from '../state/index.ts';
import { browserResources } from './schema.ts';

export type Resource = typeof browserResources.$inferSelect;

export const sha256 = (...texts: string[]): string => createHash('sha256').update(JSON.stringify(texts)).digest('hex');

/** What is kept of a site's own id. */
export const nativeDigest = (provider: string, native: string): string => sha256('herdr-mcp/native', provider, native);

/** Binds the words of a turn to that turn; `userTextSha256` as the extension tells it. */
export const turnTextDigest = (turnSha256: string, userTextSha256: string): string =>
  sha256('herdr-mcp/turn-text', turnSha256, userTextSha256);

/** Whether it is known whose account this is. */
export const isNamedAccount = ({ provider, nativeSha256 }: Pick<Resource, 'provider' | 'nativeSha256'>): boolean =>
  nativeSha256 !== nativeDigest(provider, NO_ACCOUNT);

export const resourceOf = ({ orm }: State, ref: string): Resource | undefined =>
  orm.select().from(browserResources).where(eq(browserResources.resourceRef, ref)).get();

/**
 * The ref of what was observed, and where it lies. What lies straight in an account keeps its ref when only the knowledge of
 * that account changes: seen first without one, it belongs to the account that it is seen under; seen once without one, it
 * stays where it is. Under two accounts it is two.
 */
export function refOf(
  state: State,
  request: ResourceObserve,
  parent: Resource | undefined,
  nativeSha256: string,
): { resourceRef: string; parentRef: string } {
  const parentRef = request.parent_ref ?? '';
  const named = (...more: string[]) =>
    `br_${sha256(request.endpoint_ref, request.provider, request.kind, parentRef, nativeSha256, ...more)}`;
  if (parent?.kind !== 'account') return { resourceRef: named(), parentRef };
  const inAccounts = sightings(state, request, nativeSha256);
  const here = inAccounts.find(({ row }) => row.parentRef === parentRef);
  if (here) return { resourceRef: here.row.resourceRef, parentRef };
  const unnamed = inAccounts.find(({ account }) => !isNamedAccount(account));
  if (isNamedAccount(parent) && unnamed) return { resourceRef: unnamed.row.resourceRef, parentRef };
  const [only, ...more] = inAccounts;
  if (!isNamedAccount(parent) && only && more.length === 0)
    return { resourceRef: only.row.resourceRef, parentRef: only.row.parentRef };
  // The ref of this place may have gone to another account, with what was seen before anybody was known.
  const resourceRef = named();
  return { resourceRef: resourceOf(state, resourceRef) ? named('beside') : resourceRef, parentRef };
}

/** The same thing of the site as it was seen straight in accounts of this browser. */
function sightings(
  state: State,
  { endpoint_ref, provider, kind }: ResourceObserve,
  nativeSha256: string,
): { row: Resource; account: Resource }[] {
  return state.orm
    .select()
    .from(browserResources)
    .where(
      and(
        eq(browserResources.endpointRef, endpoint_ref),
        eq(browserResources.provider, provider),
        eq(browserResources.kind, kind),
        eq(browserResources.nativeSha256, nativeSha256),
      ),
    )
    .all()
    .flatMap((row) => {
      const account = resourceOf(state, row.parentRef);
      return account?.kind === 'account' ? [{ row, account }] : [];
    });
}
