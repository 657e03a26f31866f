/**
 * What may be looked at: browsers, their accounts, Projects and chats, and what became of a dispatch. Names of a person's
 * chats are the person's: a caller from elsewhere sees them only with the grant that also lets it act.
 */
import { isNamedAccount } from '../naming.ts';
import { type Grants, isLocal, isTrusted } from './grants.ts';
import { LIST_DEFAULT, PROOF_WAIT_MS, RESULT_CHARS_DEFAULT } from './limits.ts';
import { type Method, own, type Run } from './method.ts';
import { assertGeneration, type Endpoint, type Provider, type Resource } from './place.ts';
import { ambiguous, grantMissing, notFound } from './refusals.ts';
import { viewOf } from './row.ts';
import type { Service } from './service.ts';

export function readMethods(service: Service, grants: Grants): Record<string, Method> {
  const { places } = service;
  const look =
    <P>(run: Run<P>): Run<P> =>
    async (params, context) => {
      if (!isLocal(context) && !grants.holds(context)) throw grantMissing();
      return { ...(await run(params, context)), observed_at_ms: context.nowMs() };
    };

  function endpointView(row: Endpoint) {
    return {
      endpoint_ref: row.endpointRef,
      browser_family: row.browserFamily,
      extension_version: row.extensionVersion,
      consent: {
        webchat_control: row.webchatControl,
        tool_bridge: row.toolBridge,
        tool_bridge_workstation_mutation: row.toolBridgeMutation,
      },
      consent_revision: row.consentRevision,
      last_observed_at_ms: row.lastObservedAt,
      providers: places.providersOf(row.endpointRef).map(providerView),
    };
  }

  function resourceOf(ref: string, kind?: string): Resource {
    const found = places.resource(ref);
    if (!found || (kind !== undefined && found.kind !== kind)) throw notFound('resource', ref);
    return found;
  }

  const list: Run<{ limit?: number }> = async ({ limit }) => ({
    endpoints: places.endpoints(limit ?? LIST_DEFAULT).map(endpointView),
  });
  const inspect: Run<{ endpoint_ref: string }> = async ({ endpoint_ref }) => {
    const found = places.endpoint(endpoint_ref);
    if (!found) throw notFound('endpoint', endpoint_ref);
    return { endpoint: endpointView(found) };
  };

  interface Named {
    endpoint_ref: string;
    provider: string;
    kind: string;
    parent_ref?: string;
  }
  const listed = ({ endpoint_ref, provider, kind, parent_ref }: Named) =>
    places.listed({
      endpointRef: endpoint_ref,
      provider,
      kind,
      ...(parent_ref === undefined ? {} : { parentRef: parent_ref }),
    });
  const resources: Run<Named & { limit?: number }> = async (params) => {
    const found = listed(params).sort((a, b) => b.lastObservedAt - a.lastObservedAt);
    const shown = found.slice(0, params.limit ?? LIST_DEFAULT);
    return { resources: shown.map(resourceView), truncated: shown.length < found.length };
  };
  const resource: Run<{ resource_ref: string }> = async ({ resource_ref }) => ({
    resource: resourceView(resourceOf(resource_ref)),
  });
  const resolve: Run<Named & { display_label: string; expected_observation_generation: number }> = async (params) => {
    const same = listed(params).filter(({ displayLabel }) => displayLabel === params.display_label);
    const [only] = same;
    if (!only) throw notFound('resource', params.display_label);
    if (same.length > 1)
      throw ambiguous(
        'browser_resource_ambiguous',
        same.map(({ resourceRef }) => resourceRef),
      );
    const site = places.provider(only.endpointRef, only.provider);
    if (site) assertGeneration({ provider: site }, params.expected_observation_generation);
    return { resource: resourceView(only) };
  };
  const space: Run<{ space_ref: string }> = async ({ space_ref }) => ({
    space: resourceView(resourceOf(space_ref, 'space')),
  });
  const session: Run<{ session_ref: string }> = async ({ session_ref }) => ({
    session: resourceView(resourceOf(session_ref, 'session')),
  });
  /** Known only from an act of ours whose readback was seen; a person's own click is not reported. */
  const archived: Run<{ session_ref: string }> = async ({ session_ref }) => {
    resourceOf(session_ref, 'session');
    return { session_ref, archive_state: service.wasArchived(session_ref) ? 'archived' : 'unknown' };
  };

  /** An address leads to a person's chat and account: only who is at the workstation asks by it. */
  const source: Run<{ source_url: string }> = async ({ source_url }, context) => {
    if (!isTrusted(context)) throw grantMissing();
    const { endpoint, provider: site, account, space: inside, session: chat } = places.ofSource(source_url);
    return {
      endpoint_ref: endpoint.endpointRef,
      provider: site.provider,
      observation_generation: site.observationGeneration,
      account_ref: account.resourceRef,
      account_known: isNamedAccount(account),
      space_ref: inside?.resourceRef ?? null,
      session_ref: chat?.resourceRef ?? null,
    };
  };

  const status: Run<{ dispatch_id: string; wait_ms?: number }> = async ({ dispatch_id, wait_ms }, context) => {
    const left = context.deadlineAtMs - context.nowMs() - 1_000;
    const row = await service.wait(
      dispatch_id,
      Math.max(0, Math.min(wait_ms ?? 0, PROOF_WAIT_MS, left)),
      context.signal,
    );
    if (!row) throw notFound('dispatch', dispatch_id);
    return { ...viewOf(row), delivery_pending: row.executionState === 'queued' };
  };
  const result: Run<{ dispatch_id: string; offset?: number; limit?: number }> = async (params) => {
    const row = service.find(params.dispatch_id);
    if (!row) throw notFound('dispatch', params.dispatch_id);
    const text = row.resultText ?? '';
    const from = params.offset ?? 0;
    const page = text.slice(from, from + (params.limit ?? RESULT_CHARS_DEFAULT));
    const next = from + page.length;
    return {
      dispatch_id: row.dispatchId,
      execution_state: row.executionState,
      settled: row.resultMessageRef !== null,
      assistant_message_ref: row.resultMessageRef,
      text: page,
      offset: from,
      chars: text.length,
      next_offset: next < text.length ? next : null,
    };
  };

  return {
    ...own('herdr_mcp.browser_endpoint.list', 'read', 'Browsers that are connected to this workstation.', look(list)),
    ...own(
      'herdr_mcp.browser_endpoint.inspect',
      'read',
      'One browser: consent, generation, capabilities.',
      look(inspect),
    ),
    ...own(
      'herdr_mcp.browser_resource.list',
      'read',
      'Accounts, Projects or chats that a browser has shown.',
      look(resources),
    ),
    ...own('herdr_mcp.browser_resource.inspect', 'read', 'One account, Project or chat.', look(resource)),
    ...own('herdr_mcp.browser_resource.resolve', 'read', 'The one resource of exactly this label.', look(resolve)),
    ...own('herdr_mcp.browser_space.inspect', 'read', 'One Project.', look(space)),
    ...own('herdr_mcp.browser_session.inspect', 'read', 'One chat.', look(session)),
    ...own('herdr_mcp.browser_session.archive_status', 'read', 'Whether a chat was archived.', look(archived)),
    ...own('herdr_mcp.browser_source.resolve', 'read', 'Whose chat an address is, by refs.', look(source)),
    ...own('herdr_mcp.browser_dispatch.status', 'read', 'What became of a dispatch.', look(status)),
    ...own('herdr_mcp.browser_dispatch.result', 'read', 'The complete answer to a dispatch, in pages.', look(result)),
  };
}

const providerView = (row: Provider) => ({
  provider: row.provider,
  adapter_protocol_version: row.adapterProtocolVersion,
  observation_generation: row.observationGeneration,
  capabilities: JSON.parse(row.capabilities) as unknown,
  observed_at_ms: row.observedAt,
});

const resourceView = (row: Resource) => ({
  /** False: nobody is known to be signed in there, and nothing is dispatched. Absent: no account. */
  ...(row.kind === 'account' ? { account_known: isNamedAccount(row) } : {}),
  resource_ref: row.resourceRef,
  endpoint_ref: row.endpointRef,
  provider: row.provider,
  kind: row.kind,
  parent_ref: row.parentRef || null,
  display_label: row.displayLabel,
  canonical_url: row.canonicalUrl,
  observation_generation: row.observationGeneration,
  last_observed_at_ms: row.lastObservedAt,
});
