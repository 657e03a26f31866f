/** What the answers look like for a person. */
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { age, counted, oneLine } from '../terminal/index.ts';

export interface EndpointShown {
  endpoint_ref: string;
  browser_family: string;
  extension_version: string;
  consent: Record<string, boolean>;
  consent_revision: number;
  last_observed_at_ms: number;
  providers: { provider: string; observation_generation: number; capabilities: string[] }[];
}

export interface ResourceShown {
  resource_ref: string;
  kind: string;
  provider: string;
  parent_ref: string | null;
  display_label: string;
  canonical_url: string | null;
  observation_generation: number;
  last_observed_at_ms: number;
}

/** One browser, a fact a line. */
export function endpointLines(endpoint: EndpointShown, nowMs: number): string[] {
  const allowed = Object.entries(endpoint.consent).flatMap(([name, given]) => (given ? [name] : []));
  return [
    `browser    ${endpoint.endpoint_ref} (${oneLine(endpoint.browser_family)}, extension ${oneLine(endpoint.extension_version)}), seen ${age(nowMs - endpoint.last_observed_at_ms)} ago`,
    `allowed    ${allowed.length === 0 ? 'nothing: a person switches it on in the Side Panel' : allowed.join(', ')} (revision ${endpoint.consent_revision})`,
    ...endpoint.providers.map(
      ({ provider, observation_generation: generation, capabilities }) =>
        `site       ${provider}, generation ${generation}: ${capabilities.join(' ')}`,
    ),
  ];
}

/** Rows of a list, the heading first. */
export function resourceRows(resources: readonly ResourceShown[], nowMs: number): string[][] {
  return [
    ['REF', 'KIND', 'NAME', 'ADDRESS', 'SEEN'],
    ...resources.map((one) => [
      one.resource_ref,
      one.kind,
      oneLine(one.display_label),
      one.canonical_url ?? '',
      `${age(nowMs - one.last_observed_at_ms)} ago`,
    ]),
  ];
}

export function resourceLines(resource: ResourceShown, nowMs: number): string[] {
  return [
    `${resource.kind.padEnd(10)} ${resource.resource_ref}`,
    `site       ${resource.provider}, generation ${resource.observation_generation}`,
    `name       ${oneLine(resource.display_label)}`,
    `address    ${resource.canonical_url ?? 'none'}`,
    `inside     ${resource.parent_ref ?? 'nothing'}`,
    `seen       ${age(nowMs - resource.last_observed_at_ms)} ago`,
  ];
}

/** One dispatch, a fact a line. */
export function dispatchLines(dispatch: DispatchView, nowMs: number): string[] {
  const { result } = dispatch;
  return [
    `dispatch   ${dispatch.dispatch_id}`,
    `what       ${dispatch.operation} on ${dispatch.provider}, ${age(nowMs - dispatch.created_at_ms)} ago`,
    `delivery   ${dispatch.delivery_state}${dispatch.reason === null ? '' : ` (${oneLine(dispatch.reason)})`}`,
    `state      ${dispatch.execution_state}`,
    `chat       ${dispatch.session_ref ?? 'not known'}${dispatch.canonical_url === null ? '' : ` ${dispatch.canonical_url}`}`,
    ...(result === null
      ? []
      : [`answer     ${counted(result.chars, 'character')}: herdr-mcp webchat result ${dispatch.dispatch_id}`]),
  ];
}
