/** Asks the gates in their order for something that is about to change or run. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { busyFacts, busyGate, mutationGate, type WritePolicy, writeGate } from './gates.ts';
import { below, normalAbsolute, withAncestors } from './segments.ts';
import type { LiveView, Root, RootTable } from './table.ts';

export interface Admission {
  policy: WritePolicy;
  view: LiveView;
  table: RootTable;
  root: Root;
  /** Canonical paths that would change; the root's own for a command. */
  paths: readonly string[];
  confirmBusy: boolean;
  /** Files would change, not only a command run. */
  mutation?: boolean;
}

/**
 * Throws the first refusal: `readonly_mode`, `root_not_whitelisted`,
 * `operational_root_mutation_unsupported`, `agent_working`, `busy_state_unknown`. Returns what
 * the answer should warn of, empty when there is nothing.
 */
export function admit(admission: Admission): Record<string, unknown> {
  const { policy, view, table, root, paths, confirmBusy } = admission;
  const allowed = canonicalPolicy(policy);
  for (const path of paths) {
    const refusal = writeGate(allowed, path);
    if (refusal !== undefined) throw refusal;
  }
  const unsupported = admission.mutation === true ? mutationGate(root) : undefined;
  if (unsupported !== undefined) throw unsupported;
  const busy = busyGate(busyFacts(view, table, root), confirmBusy);
  if (busy.refusal !== undefined) throw busy.refusal;
  return busy.warnings;
}

/**
 * The first of these gates alone, for a path as a caller or Herdr writes it; what is missing of it leads nowhere else. What is
 * no absolute path is inside no directory.
 */
export function writeGateAt(policy: WritePolicy, path: string): OutcomeError | undefined {
  const normal = normalAbsolute(path);
  if (normal === undefined) return writeGate(canonicalPolicy(policy), path);
  const there = withAncestors(normal).find((each) => existsSync(each)) ?? '/';
  return writeGate(canonicalPolicy(policy), join(canonicalOrSame(there), below(there, normal)));
}

const canonicalPolicy = (policy: WritePolicy): WritePolicy => ({
  ...policy,
  writeRoots: policy.writeRoots?.map(canonicalOrSame),
});

/** The owner may have written a folder by a symlink; one that does not exist allows nothing anyway. */
function canonicalOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path;
  }
}
