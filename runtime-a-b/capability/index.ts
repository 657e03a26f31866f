/**
 * What agents can do, as evidence: `herdr-mcp scan` looks, a database of its own keeps, one pure resolver judges.
 *
 * Decided here: what counts as evidence and for how long. Deliberately not here: who is working where; that is Herdr's.
 * A product's name is never evidence, and what nobody verified is `unverified`, which is neither yes nor no.
 */

import { existsSync } from 'node:fs';
import { LocalError } from '../../local/error/index.ts';
import type { Log } from '../../local/log/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import type { HerdrClient, LiveHerdr } from '../herdr/index.ts';
import { knownStatus } from '../herdr/index.ts';
import type { Capability } from './capability.ts';
import { compactCapabilities, compactInventory } from './compact.ts';
import { type LiveAgent, resolveCandidates } from './resolver.ts';
import { scan } from './scan.ts';
import { type Inventory, InventoryStore } from './store.ts';

export type { Capability } from './capability.ts';
export { capabilityMethods } from './methods.ts';
export type { Candidate, Requirements, Verdict } from './resolver.ts';

export interface CapabilityParts {
  stateDir: string;
  live: LiveHerdr;
  herdr: HerdrClient;
  herdrCommand: string;
  path: string;
  nowMs: () => number;
  log: Log;
}

const NOTHING: Inventory = { scanned_at_ms: null, records: [] };

/** Opens the inventory at its first use. One that cannot be used counts as not scanned and is named in the log. */
export function openCapability(parts: CapabilityParts): Capability {
  const { stateDir, live, nowMs, log } = parts;
  let store: InventoryStore | undefined;
  let known: { inventory: Inventory; dataVersion: unknown } | undefined;
  let version = 0;
  let warned = false;
  const file = statePaths(stateDir).capability;

  function opened(): InventoryStore {
    store ??= new InventoryStore(file);
    return store;
  }
  function inventory(): Inventory {
    try {
      if (!store && !existsSync(file)) return NOTHING;
      const { dataVersion } = opened();
      if (known !== undefined && known.dataVersion === dataVersion) return known.inventory;
      const read = opened().read();
      known = { inventory: read, dataVersion };
      version += 1;
      return read;
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      if (!warned) log.warn({ err: error }, 'the capability inventory cannot be used; agents count as not scanned');
      warned = true;
      return NOTHING;
    }
  }
  function liveAgents(): LiveAgent[] {
    return live.view().agents.map((agent) => ({
      name: agent.name ?? null,
      kind: agent.agent ?? null,
      pane_id: agent.pane_id,
      workspace_id: agent.workspace_id,
      status: knownStatus(agent.agent_status),
    }));
  }

  return {
    inventory,
    version: () => {
      inventory();
      return version;
    },
    compact: () => compactInventory(inventory()),
    ofKind: (kind) =>
      compactCapabilities(inventory().records.find(({ agent }) => kind !== undefined && agent === kind.toLowerCase())),
    candidates: (requirements) => resolveCandidates(inventory().records, liveAgents(), requirements),
    async scan(depth, signal) {
      const view = live.view().state === 'live' ? live.view() : await live.refresh();
      const before = opened().read().records;
      const { herdr, herdrCommand, path } = parts;
      const result = await scan({ herdr, view, herdrCommand, path, nowMs, log, signal }, before, depth);
      signal.throwIfAborted();
      const finishedAt = nowMs();
      opened().replace(result.records, finishedAt, depth.deep);
      known = undefined;
      warned = false;
      inventory();
      return { ...result, scanned_at_ms: finishedAt };
    },
    close: () => store?.close(),
  };
}
