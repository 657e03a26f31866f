/**
 * The gates in front of everything that changes something, in the order in which they are asked: read-only mode, write
 * roots, kind of root, agents at work. Pure: facts in, a refusal or a warning out. A confirmation acknowledges an observed
 * fact; it never opens a gate that has none.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import { isWithin } from './segments.ts';
import type { LiveView, Root, RootTable } from './table.ts';

export interface WritePolicy {
  readOnly: boolean;
  /** Canonical paths inside which may be changed; undefined means every root. */
  writeRoots: readonly string[] | undefined;
}

/** Whether the owner allows changes at a canonical path at all. Neither has a confirmation. */
export function writeGate(policy: WritePolicy, path: string): OutcomeError | undefined {
  if (policy.readOnly) {
    return new OutcomeError('readonly_mode', 'This workstation is in read-only mode; nothing was changed or run.', {
      next: 'Read instead, or ask the person at the workstation to end it (policy.read_only in config.json, HERDR_MCP_READONLY).',
    });
  }
  if (policy.writeRoots !== undefined && !policy.writeRoots.some((root) => isWithin(root, path))) {
    return new OutcomeError(
      'root_not_whitelisted',
      `${path} is not inside the directories in which changes are allowed; nothing was changed or run.`,
      {
        next: 'Work in an allowed directory, or ask the person at the workstation to extend policy.write_roots in config.json (or HERDR_MCP_WRITE_ROOTS).',
        details: { write_roots: policy.writeRoots },
      },
    );
  }
  return undefined;
}

/** Whether the file tools may change anything below this root: their safety rests on Git's knowledge of the files. */
export function mutationGate(root: Pick<Root, 'path' | 'kind' | 'bare'>): OutcomeError | undefined {
  if (root.kind === 'git' && !root.bare) return undefined;
  const why = root.bare
    ? 'is a bare Git repository without a working tree'
    : 'is not under version control, so nobody could tell what a change would lose';
  return new OutcomeError('operational_root_mutation_unsupported', `${root.path} ${why}; nothing was changed.`, {
    next: root.bare
      ? 'Open a worktree of it in Herdr and change files there.'
      : 'Use herdr_exec, or make it a Git repository first (git init).',
  });
}

/** An agent that stands in the way, as answers list it. */
export interface WorkingAgent {
  pane: string;
  agent: string;
}

export interface BusyFacts {
  /** Whether Herdr confirms its picture now. */
  state: LiveView['state'];
  working: readonly WorkingAgent[];
  /** Agents of the project whose status, or whose project, nobody can tell. */
  unclear: readonly WorkingAgent[];
}

/** The agents of a root, sorted into those that work and those of which nobody can say. */
export function busyFacts(view: LiveView, table: RootTable, root: Pick<Root, 'path' | 'workspaces'>): BusyFacts {
  const working: WorkingAgent[] = [];
  const unclear: WorkingAgent[] = [];
  for (const agent of view.agents) {
    const entry = { pane: agent.pane_id, agent: agent.name ?? agent.agent ?? 'unknown' };
    const home = table.rootOfPane.get(agent.pane_id);
    const placed = agent.cwd !== undefined || agent.foreground_cwd !== undefined;
    if (placed ? home?.path !== root.path : !root.workspaces.includes(agent.workspace_id)) continue;
    if (agent.agent_status === 'working') working.push(entry);
    else if (agent.agent_status === 'unknown') unclear.push(entry);
  }
  return { state: view.state, working, unclear };
}

/** Refuses while agents work, or while nobody knows; with `confirm` it lets pass and says what was seen. */
export function busyGate(
  facts: BusyFacts,
  confirm: boolean,
): { refusal: OutcomeError; warnings?: never } | { refusal?: never; warnings: Record<string, unknown> } {
  const { state, working, unclear } = facts;
  if (confirm) {
    return {
      warnings: {
        ...(working.length > 0 ? { working } : {}),
        ...(unclear.length > 0 ? { unclear } : {}),
        ...(state === 'live' ? {} : { herdr: state }),
      },
    };
  }
  const next = 'Wait until it settles (herdr_since reports it), or call again with confirm_busy true.';
  if (working.length > 0) {
    const names = working.map(({ agent, pane }) => `${agent} in ${pane}`).join(', ');
    return {
      refusal: new OutcomeError(
        'agent_working',
        `An agent is working in this project: ${names}. Nothing was changed or run.`,
        {
          next,
          details: { working },
        },
      ),
    };
  }
  if (state !== 'live' || unclear.length > 0) {
    const why =
      state === 'live'
        ? `the state of ${unclear.map(({ agent, pane }) => `${agent} in ${pane}`).join(', ')} is unknown`
        : 'Herdr does not answer now';
    return {
      refusal: new OutcomeError(
        'busy_state_unknown',
        `Nobody can say whether an agent works in this project: ${why}. Nothing was changed or run.`,
        { next: 'Look with herdr_inspect, or call again with confirm_busy true.', details: { unclear, herdr: state } },
      ),
    };
  }
  return { warnings: {} };
}
