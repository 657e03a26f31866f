/**
 * What this edge serves, from the frozen contract: serialised once an isolate, the same bytes with and without a
 * workstation (design, section 5).
 */
import { CURRENT_PUBLIC, type FrozenContract, PUBLIC_EPOCHS } from '../../contract/epochs/index.ts';
import { DISCOVER_TTL_MS } from '../limits.ts';

export const SERVER_INFO = { name: 'herdr-mcp', title: 'Herdr', version: '0.1.0' } as const;

/** Newest first. The first is what a 2025-era client is offered that asks for something unknown. */
const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
export const MODERN_VERSION = '2026-07-28';

export const CAPABILITIES = { tools: { listChanged: false }, prompts: { listChanged: false } } as const;

export const INSTRUCTIONS =
  "Herdr gives you the user's own workstation: its files, Git, shell, terminals and coding agents. " +
  'Start with herdr_inspect: it lists workspaces, panes, agents and project roots; the other tools take the ids, refs and paths that it gives. ' +
  'You plan and decide; agents in panes (herdr_prompt) and commands (herdr_exec, herdr_exec_start) do longer work, and herdr_since tells what changed meanwhile. ' +
  'herdr_skill is the guide to all of it. ' +
  'Every failed call says `delivery`: not_delivered means that nothing happened; unknown means that it may have, so look it up with herdr_call and herdr_mcp.dispatch.status before repeating a change. ' +
  'Give changes an idempotency_key and repeating them is safe. ' +
  'With several workstations, herdr_devices lists them and `device` chooses one.';

export interface Served {
  contract: FrozenContract;
  /** Members of the results' `_meta.herdr`. */
  identity: { contract_epoch: number; contract_hash: string; tool_count: number };
  /** JSON of the tool list alone. */
  tools: string;
}

const cache = new Map<number, Served>();

function served(contract: FrozenContract): Served {
  const known = cache.get(contract.epoch);
  if (known) return known;
  const made: Served = {
    contract,
    identity: { contract_epoch: contract.epoch, contract_hash: contract.hash, tool_count: contract.tools.length },
    tools: JSON.stringify(contract.tools),
  };
  cache.set(contract.epoch, made);
  return made;
}

/** The public epoch of a deployment: the current one in `dev` and `prod`, whatever is configured; another stage may choose the baseline. */
export function servedEpoch(stage: string, configured: string | undefined): 3 | 8 {
  if (stage === 'dev' || stage === 'prod') return 8;
  return configured === '3' ? 3 : 8;
}

export function servedBy(env: { STAGE: string; PUBLIC_EPOCH?: string }): Served {
  const epoch = servedEpoch(env.STAGE, env.PUBLIC_EPOCH);
  return served(epoch === CURRENT_PUBLIC.epoch ? CURRENT_PUBLIC : PUBLIC_EPOCHS[epoch]);
}

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

const modernMeta = (from: Served) => JSON.stringify({ herdr: from.identity, [SERVER_INFO_KEY]: SERVER_INFO });

/** The result of `tools/list` as JSON. */
export function toolsListResult(from: Served, modern: boolean): string {
  return modern
    ? `{"tools":${from.tools},"resultType":"complete","ttlMs":${DISCOVER_TTL_MS},"cacheScope":"private","_meta":${modernMeta(from)}}`
    : `{"tools":${from.tools},"_meta":${JSON.stringify({ herdr: from.identity })}}`;
}

/** The result of `initialize` as JSON. A version that we do not know is answered with our newest of that era. */
export function initializeResult(from: Served, requested: string): string {
  return JSON.stringify({
    protocolVersion: LEGACY_VERSIONS.includes(requested) ? requested : LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
    _meta: { herdr: from.identity },
  });
}

/** The result of `server/discover` as JSON. */
export function discoverResult(from: Served): string {
  const rest = {
    supportedVersions: [MODERN_VERSION],
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    resultType: 'complete',
    ttlMs: DISCOVER_TTL_MS,
    cacheScope: 'private',
  };
  return `${JSON.stringify(rest).slice(0, -1)},"_meta":${modernMeta(from)}}`;
}
