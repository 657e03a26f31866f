/** What the extension registers: itself, what it can do, and the accounts and conversations that it sees. */
import { and, eq, lt, or } from 'drizzle-orm/sql';
import type {
  Consent,
  EndpointConsent,
  EndpointRegister,
  ProviderObserve,
  RegistryAnswer,
  RegistryFailure,
  RegistryRequest,
  ResourceObserve,
  SourceTurnObserve,
} from '../../contract/extension/registry.ts';
import { projectUrl, readConversationUrl } from '../continuity/index.ts';
import type { State } from '../state/index.ts';
import { TURN_TTL_MS } from './limits.ts';
import { nativeDigest, type Resource, refOf, resourceOf, sha256, turnTextDigest } from './naming.ts';
import { conflict, notFound, outOfScope, stale } from './refusals.ts';
import { browserEndpoints, browserProviders, browserResources, browserSourceTurns } from './schema.ts';
import { endWake, takeWake } from './wakes.ts';

export interface RegistryParts {
  state: State;
  deviceId: string;
  nowMs: () => number;
  random: (bytes: number) => Uint8Array;
  /** Whether one of these conversations is about to be told of a task in one of these panes. Absent: there are no tasks. */
  owes?: (sessionRefs: readonly string[], panes: readonly string[]) => boolean;
}

/** Answers one checked request; each is one transaction, so two of the same end in one row. */
export function openRegistry(parts: RegistryParts): (request: RegistryRequest) => RegistryAnswer {
  const { database } = parts.state;
  return (request) => database.transaction(() => dispatch(request, parts)).immediate();
}

function dispatch(request: RegistryRequest, parts: RegistryParts): RegistryAnswer {
  switch (request.operation) {
    case 'endpoint.register':
      return register(request, parts);
    case 'endpoint.consent':
      return setConsent(request, parts);
    case 'provider.observe':
      return observeProvider(request, parts);
    case 'resource.observe':
      return observeResource(request, parts);
    case 'source_turn.observe':
      return observeTurn(request, parts);
    case 'wake.claim':
    case 'wake.leave':
      if (!endpoint(parts.state, request.endpoint_ref)) return notFound('endpoint');
      return takeWake(request, parts, parts.nowMs());
    case 'wake.done':
      return endWake(request, parts.state, parts.nowMs());
  }
}

type Endpoint = typeof browserEndpoints.$inferSelect;

function consentOf(row: Endpoint): { consent: Consent; consent_revision: number } {
  return {
    consent: {
      webchat_control: row.webchatControl,
      tool_bridge: row.toolBridge,
      tool_bridge_workstation_mutation: row.toolBridgeMutation,
    },
    consent_revision: row.consentRevision,
  };
}

function endpointAnswer(row: Endpoint): RegistryAnswer {
  return { ok: true, endpoint_ref: row.endpointRef, device_id: row.deviceId, ...consentOf(row) };
}

function endpoint({ orm }: State, ref: string): Endpoint | undefined {
  return orm.select().from(browserEndpoints).where(eq(browserEndpoints.endpointRef, ref)).get();
}

function register(request: EndpointRegister, { state, deviceId, nowMs, random }: RegistryParts): RegistryAnswer {
  const profileSha256 = sha256('herdr-mcp/profile', request.profile_seed);
  const now = nowMs();
  const seen = {
    deviceId,
    browserFamily: request.browser_family,
    extensionVersion: request.extension_version,
    lastObservedAt: now,
  };
  const endpointRef = `bep_${Buffer.from(random(16)).toString('hex')}`;
  const row = state.orm
    .insert(browserEndpoints)
    .values({ endpointRef, profileSha256, firstObservedAt: now, ...seen })
    .onConflictDoUpdate({ target: browserEndpoints.profileSha256, set: seen })
    .returning()
    .get();
  return endpointAnswer(row);
}

function setConsent(request: EndpointConsent, { state }: RegistryParts): RegistryAnswer {
  const row = endpoint(state, request.endpoint_ref);
  if (!row) return notFound('endpoint');
  if (row.consentRevision !== request.expected_revision) return conflict(consentOf(row));
  const { webchat_control, tool_bridge, tool_bridge_workstation_mutation } = request.consent;
  const changed = state.orm
    .update(browserEndpoints)
    .set({
      webchatControl: webchat_control,
      toolBridge: tool_bridge,
      toolBridgeMutation: tool_bridge_workstation_mutation,
      consentRevision: row.consentRevision + 1,
    })
    .where(eq(browserEndpoints.endpointRef, row.endpointRef))
    .returning()
    .get();
  return changed ? endpointAnswer(changed) : notFound('endpoint');
}

function provider({ orm }: State, endpointRef: string, name: string) {
  return orm
    .select()
    .from(browserProviders)
    .where(and(eq(browserProviders.endpointRef, endpointRef), eq(browserProviders.provider, name)))
    .get();
}

/** The generation is at least the time, so that one made after a lost database is never an old one again. */
function observeProvider(request: ProviderObserve, { state, nowMs }: RegistryParts): RegistryAnswer {
  if (!endpoint(state, request.endpoint_ref)) return notFound('endpoint');
  const known = provider(state, request.endpoint_ref, request.provider);
  const capabilities = JSON.stringify([...request.capabilities].sort());
  const version = request.adapter_protocol_version;
  const same = known?.capabilities === capabilities && known.adapterProtocolVersion === version;
  const now = nowMs();
  const generation = same ? known.observationGeneration : Math.max((known?.observationGeneration ?? 0) + 1, now);
  const seen = {
    adapterProtocolVersion: version,
    observationGeneration: generation,
    capabilities,
    observedAt: now,
  };
  state.orm
    .insert(browserProviders)
    .values({ endpointRef: request.endpoint_ref, provider: request.provider, ...seen })
    .onConflictDoUpdate({ target: [browserProviders.endpointRef, browserProviders.provider], set: seen })
    .run();
  return {
    ok: true,
    endpoint_ref: request.endpoint_ref,
    provider: request.provider,
    observation_generation: generation,
  };
}

/** Which kinds may contain which: nothing contains an account, and a session lies in a space or straight in an account. */
const PARENTS: Record<ResourceObserve['kind'], readonly string[]> = {
  account: [],
  space: ['account'],
  session: ['space', 'account'],
};

function observeResource(request: ResourceObserve, { state, nowMs }: RegistryParts): RegistryAnswer {
  const { endpoint_ref, kind, parent_ref } = request;
  const known = provider(state, endpoint_ref, request.provider);
  if (!known) return notFound('endpoint');
  if (known.observationGeneration !== request.expected_generation) return stale(known.observationGeneration);
  const parent = parent_ref === undefined ? undefined : resourceOf(state, parent_ref);
  const scope = scopeTrouble(request, parent);
  if (scope) return scope;
  const nativeSha256 = nativeDigest(request.provider, request.native_identity);
  const { resourceRef, parentRef } = refOf(state, request, parent, nativeSha256);
  const now = nowMs();
  const reading = readConversationUrl(request.canonical_url ?? '');
  const seen = {
    // Who an account is, is nobody's here to know.
    ...(request.display_label === undefined || kind === 'account' ? {} : { displayLabel: request.display_label }),
    ...(reading.ok && kind === 'session' ? { canonicalUrl: reading.address.canonicalUrl } : {}),
    ...(kind === 'space' ? spaceAddress(request) : {}),
    parentRef,
    observationGeneration: request.expected_generation,
    lastObservedAt: now,
  };
  state.orm
    .insert(browserResources)
    .values({
      resourceRef,
      endpointRef: endpoint_ref,
      provider: request.provider,
      kind,
      nativeSha256,
      firstObservedAt: now,
      ...seen,
    })
    .onConflictDoUpdate({ target: browserResources.resourceRef, set: seen })
    .run();
  return {
    ok: true,
    resource_ref: resourceRef,
    kind,
    observation_generation: request.expected_generation,
    ...(kind === 'session' ? { browser_session_ref: resourceRef } : {}),
  };
}

/** A Project's own address, when it is one of the site that it is said to be of. */
function spaceAddress({ provider: site, canonical_url }: ResourceObserve): { canonicalUrl?: string } {
  const canonicalUrl = projectUrl(site, canonical_url ?? '');
  return canonicalUrl === null ? {} : { canonicalUrl };
}

function scopeTrouble(request: ResourceObserve, parent: Resource | undefined): RegistryFailure | undefined {
  const allowed = PARENTS[request.kind];
  if (request.parent_ref === undefined) return allowed.length === 0 ? undefined : outOfScope(request.kind);
  if (!parent) return notFound('resource');
  const fits =
    allowed.includes(parent.kind) &&
    parent.endpointRef === request.endpoint_ref &&
    parent.provider === request.provider;
  return fits ? undefined : outOfScope(request.kind);
}

/** Newest wins: an older turn, or an older look at the same turn, changes nothing; an ended turn does not begin again. */
function observeTurn(request: SourceTurnObserve, { state, nowMs }: RegistryParts): RegistryAnswer {
  const session = resourceOf(state, request.session_ref);
  if (session?.kind !== 'session') return notFound('resource');
  const known = provider(state, session.endpointRef, session.provider);
  if (known?.observationGeneration !== request.expected_generation) return stale(known?.observationGeneration ?? 0);
  const now = nowMs();
  const startedAt = Math.min(request.started_at, now);
  const observedAt = Math.min(request.observed_at, now);
  const turnSha256 = sha256('herdr-mcp/turn', request.turn_id);
  const before = state.orm
    .select()
    .from(browserSourceTurns)
    .where(eq(browserSourceTurns.sessionRef, session.resourceRef))
    .get();
  const same = before?.turnSha256 === turnSha256;
  const older = before !== undefined && (same ? observedAt < before.observedAt : startedAt < before.startedAt);
  if (older || (same && before.endedAt !== null)) return { ok: true, accepted: false };
  const told = request.user_text_sha256;
  const row = {
    turnSha256,
    textSha256: told === undefined ? (same ? before.textSha256 : null) : turnTextDigest(turnSha256, told),
    observationGeneration: request.expected_generation,
    startedAt: same ? before.startedAt : startedAt,
    observedAt,
    endedAt: request.in_progress ? null : observedAt,
  };
  state.orm
    .insert(browserSourceTurns)
    .values({ sessionRef: session.resourceRef, ...row })
    .onConflictDoUpdate({ target: browserSourceTurns.sessionRef, set: row })
    .run();
  forgetTurns(state, now);
  return { ok: true, accepted: true };
}

function forgetTurns({ orm }: State, nowMs: number): void {
  const old = nowMs - TURN_TTL_MS;
  orm
    .delete(browserSourceTurns)
    .where(or(lt(browserSourceTurns.observedAt, old), lt(browserSourceTurns.endedAt, old)))
    .run();
}
