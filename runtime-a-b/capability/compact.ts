/** The inventory as an answer shows it: counts and verified traits. The evidence itself is for `herdr-mcp scan`. Pure. */
import { NAMED_MAX } from './limits.ts';
import { type CapabilityRecord, TRAITS, type TraitName, traitOf } from './record.ts';
import type { Inventory } from './store.ts';

/** What `herdr_inspect` says of the whole inventory. */
export function compactInventory({ scanned_at_ms, records }: Inventory): Record<string, unknown> {
  if (scanned_at_ms === null) {
    return { source: 'not_scanned', record_count: 0, needs_scan: true, unknown_semantics: UNKNOWN, refresh: REFRESH };
  }
  const available = records.filter((record) => traitOf(record, 'available_for_start') === true);
  return {
    source: 'scan_cache',
    scanned_at_ms,
    record_count: records.length,
    installed: records.filter(({ binary }) => binary !== null).length,
    available_agents: available.slice(0, NAMED_MAX).map(({ agent }) => agent),
    hidden_available_agents: Math.max(0, available.length - NAMED_MAX),
    needs_scan: false,
    unknown_semantics: UNKNOWN,
    refresh: REFRESH,
  };
}

const UNKNOWN = 'a trait that is absent is unverified: neither false nor probably true';
const REFRESH = 'herdr-mcp scan on the workstation';

/** What `herdr_inspect` says beside one live agent; undefined when its kind was not scanned. */
export function compactCapabilities(record: CapabilityRecord | undefined): Record<string, unknown> | undefined {
  if (!record) return undefined;
  const version = traitOf(record, 'binary_version');
  return {
    source: 'scan_cache',
    verified: verifiedTraits(record),
    manifest_version: record.manifest_version,
    ...(version === undefined ? {} : { agent_version: version }),
    probe_level: record.probe_level,
    observed_at_ms: record.observed_at_ms,
  };
}

/** Traits that say something about what it can do. */
function verifiedTraits(record: CapabilityRecord): Partial<Record<TraitName, unknown>> {
  return Object.fromEntries(
    TRAITS.filter((name) => name !== 'binary_version' && record.traits[name] !== undefined).map((name) => [
      name,
      traitOf(record, name),
    ]),
  );
}
