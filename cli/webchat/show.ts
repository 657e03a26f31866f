/** What the answers look like for a person. */
import type { DispatchView, TabOutcome } from '../../contract/browser/dispatch.ts';
import { WORDS } from '../../look/words/index.ts';
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
  account_known?: boolean;
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
      nameOf(one),
      one.canonical_url ?? '',
      `${age(nowMs - one.last_observed_at_ms)} ago`,
    ]),
  ];
}

export function resourceLines(resource: ResourceShown, nowMs: number): string[] {
  return [
    `${resource.kind.padEnd(10)} ${resource.resource_ref}`,
    `site       ${resource.provider}, generation ${resource.observation_generation}`,
    `name       ${nameOf(resource)}`,
    `address    ${resource.canonical_url ?? 'none'}`,
    `inside     ${resource.parent_ref ?? 'nothing'}`,
    `seen       ${age(nowMs - resource.last_observed_at_ms)} ago`,
  ];
}

/** Accounts have no names here: only whether one is known. */
function nameOf({ display_label: label, account_known: known }: ResourceShown): string {
  if (known === undefined) return oneLine(label);
  return known ? 'a signed-in account' : 'nobody known';
}

/** ` (reason: in words)`; empty without one. */
export function because(reason: string | null): string {
  if (reason === null) return '';
  const words: Readonly<Record<string, string>> = WORDS.hud.en;
  const said = words[`why.${reason}`];
  return said === undefined ? ` (${oneLine(reason)})` : ` (${reason}: ${said})`;
}

const TABS: Readonly<Record<TabOutcome, string>> = {
  closed: 'closed, at the home of its Project',
  gone: 'not there any more',
  kept: 'left open',
  kept_home_not_seen: 'left open: the home of its Project did not come up in it',
  kept_draft: 'left open: words stand in it',
  kept_in_use: 'left open: a person has it in front',
  kept_pinned: 'left open: it is pinned',
  kept_last_tab: 'left open: it is the last one of its window',
};

/** What became of the tab of an archived chat. */
export const tabSaid = (outcome: TabOutcome): string => TABS[outcome];

/** One dispatch, a fact a line. */
export function dispatchLines(dispatch: DispatchView, nowMs: number): string[] {
  const { result } = dispatch;
  const tab = dispatch.tab_outcome ?? null;
  return [
    `dispatch   ${dispatch.dispatch_id}`,
    `what       ${dispatch.operation} on ${dispatch.provider}, ${age(nowMs - dispatch.created_at_ms)} ago`,
    `delivery   ${dispatch.delivery_state}${because(dispatch.reason)}`,
    `state      ${dispatch.execution_state}`,
    `chat       ${dispatch.session_ref ?? 'not known'}${dispatch.canonical_url === null ? '' : ` ${dispatch.canonical_url}`}`,
    ...(tab === null ? [] : [`tab        ${tabSaid(tab)}`]),
    ...(result === null
      ? []
      : [`answer     ${counted(result.chars, 'character')}: herdr-mcp webchat result ${dispatch.dispatch_id}`]),
  ];
}
