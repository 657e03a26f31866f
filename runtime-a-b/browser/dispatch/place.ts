/** Where an act belongs: the browser, the site, the account, the Project and the chat, from opaque refs or a chat's address. */
import { and, eq, inArray } from 'drizzle-orm/sql';
import { conversationUrl, readConversationUrl } from '../../continuity/index.ts';
import type { State } from '../../state/index.ts';
import { isNamedAccount, type Resource, resourceOf } from '../naming.ts';
import { newest } from '../proof.ts';
import { browserEndpoints, browserProviders, browserResources } from '../schema.ts';
import {
  accountUnknown,
  ambiguous,
  incapable,
  notFound,
  notSeen,
  outOfScope,
  staleGeneration,
  wrongParams,
} from './refusals.ts';

export type Endpoint = typeof browserEndpoints.$inferSelect;
export type Provider = typeof browserProviders.$inferSelect;
export type { Resource } from '../naming.ts';

export interface Place {
  endpoint: Endpoint;
  provider: Provider;
  account: Resource;
  space: Resource | null;
  session: Resource | null;
}

export function openPlaces(state: State) {
  const { orm } = state;
  const resource = (ref: string) => resourceOf(state, ref);
  const endpoint = (ref: string) =>
    orm.select().from(browserEndpoints).where(eq(browserEndpoints.endpointRef, ref)).get();
  const provider = (endpointRef: string, name: string) =>
    orm
      .select()
      .from(browserProviders)
      .where(and(eq(browserProviders.endpointRef, endpointRef), eq(browserProviders.provider, name)))
      .get();

  /** The place of a resource, upwards to its browser. */
  function placeOf(found: Resource): Place {
    const line: Partial<Record<string, Resource>> = {};
    for (let at: Resource | undefined = found; at; at = at.parentRef === '' ? undefined : resource(at.parentRef))
      line[at.kind] = at;
    const [owner, site] = [endpoint(found.endpointRef), provider(found.endpointRef, found.provider)];
    if (!owner || !site) throw notFound('endpoint', found.endpointRef);
    if (!line.account) throw outOfScope('The account of this resource is not registered.');
    return {
      endpoint: owner,
      provider: site,
      account: line.account,
      space: line.space ?? null,
      session: line.session ?? null,
    };
  }

  function known(ref: string, kind: Resource['kind']): Resource {
    const found = resource(ref);
    if (!found) throw notFound('resource', ref);
    if (found.kind !== kind) throw outOfScope(`${ref} is no ${kind}.`);
    return found;
  }

  /** Sessions that show this conversation, in whichever of its two spellings the address was registered. */
  function sessionsAt(sourceUrl: string, endpointRef?: string): Resource[] {
    const reading = readConversationUrl(sourceUrl);
    if (!reading.ok) throw wrongParams(`source_url is no address of a chat: ${sourceUrl.slice(0, 100)}`);
    const { provider: site, conversationId, canonicalUrl } = reading.address;
    const plain = conversationUrl(site, conversationId, '');
    const spellings = plain === null ? [canonicalUrl] : [canonicalUrl, plain];
    return orm
      .select()
      .from(browserResources)
      .where(
        and(
          eq(browserResources.kind, 'session'),
          eq(browserResources.provider, site),
          inArray(browserResources.canonicalUrl, spellings),
          ...(endpointRef === undefined ? [] : [eq(browserResources.endpointRef, endpointRef)]),
        ),
      )
      .all();
  }

  return {
    endpoint,
    provider,
    resource,
    endpoints: (limit: number) => orm.select().from(browserEndpoints).limit(limit).all(),
    providersOf: (ref: string) =>
      orm.select().from(browserProviders).where(eq(browserProviders.endpointRef, ref)).all(),
    listed: (given: Pick<Resource, 'endpointRef' | 'provider' | 'kind'> & { parentRef?: string }) =>
      orm
        .select()
        .from(browserResources)
        .where(
          and(
            eq(browserResources.endpointRef, given.endpointRef),
            eq(browserResources.provider, given.provider),
            eq(browserResources.kind, given.kind),
            ...(given.parentRef === undefined ? [] : [eq(browserResources.parentRef, given.parentRef)]),
          ),
        )
        .all(),
    ofSession: (ref: string): Place => placeOf(known(ref, 'session')),
    ofSpace: (ref: string): Place => placeOf(known(ref, 'space')),
    ofAccount: (ref: string): Place => placeOf(known(ref, 'account')),
    /** Seen in two browsers, the newest look wins; looks of the same moment choose nobody. */
    ofSource(sourceUrl: string, endpointRef?: string): Place {
      const found = sessionsAt(sourceUrl, endpointRef);
      if (found.length === 0) throw notSeen(sourceUrl);
      const ref = newest(
        found.map(({ resourceRef, lastObservedAt }) => ({ sessionRef: resourceRef, observedAt: lastObservedAt })),
      );
      if (ref === null)
        throw ambiguous(
          'browser_canonical_url_ambiguous',
          found.map(({ resourceRef }) => resourceRef),
        );
      return placeOf(known(ref, 'session'));
    },
  };
}

export type Places = ReturnType<typeof openPlaces>;

/** Whose chat it is must be known before anything is asked of it; where pages never say, nothing is. */
export function assertAccountKnown({ account, provider }: Pick<Place, 'account' | 'provider'>): void {
  if (isNamedAccount(account)) return;
  throw isAble(provider, 'account.inspect') ? accountUnknown(account.provider) : incapable('account.inspect');
}

/** Whether the browser says that it can do that on the site. */
export function isAble({ capabilities }: Provider, capability: string): boolean {
  const able: unknown = JSON.parse(capabilities);
  return Array.isArray(able) && able.includes(capability);
}

/** What was planned against an older look at the browser is planned anew. */
export function assertGeneration({ provider }: Pick<Place, 'provider'>, expected: number): void {
  if (provider.observationGeneration !== expected) throw staleGeneration(provider.observationGeneration);
}
