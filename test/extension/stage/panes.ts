/** What Herdr shows in a state of the worker, as the runtime tells it to a Side Panel. */
import type { FleetAnswer, PushPane, PushState } from '../../../contract/control/index.ts';
import { capabilitiesOf } from '../../../contract/control/index.ts';
import type { AgentStatus } from '../../../contract/herdr/index.ts';
import type { State } from '../../../extension/machines/worker/index.ts';

const LINES: Readonly<Record<AgentStatus, string>> = {
  working: 'Running 214 tests … 187 passed',
  blocked: 'Allow “npm publish --dry-run”? (y/n)',
  done: 'All 214 tests pass. The rounding is fixed in tax.ts.',
  idle: 'Ready.',
  unknown: '…',
};

function pane(workspace: string, index: number, status: AgentStatus | null, now: number): PushPane {
  const id = `${workspace}:p${index + 1}`;
  const agent = status === null ? {} : { agent: index % 2 === 0 ? 'claude' : 'codex' };
  return {
    pane_id: id,
    terminal_id: `t${index}`,
    workspace_id: workspace,
    tab_id: `${workspace}:t1`,
    focused: index === 0 && workspace === 'w1',
    agent_status: status ?? 'unknown',
    ...agent,
    cwd: `/home/ada/work/${workspace}`,
    name: status === null ? null : (['builder', 'reviewer', 'docs'][index] ?? `agent-${index + 1}`),
    since: status === null ? null : now - (index * 191_000 + 42_000),
    target_revision: `btr1_${id.length.toString(16).padStart(2, '0')}${'0'.repeat(28)}${index.toString(16).padStart(2, '0')}`,
    control_capabilities: capabilitiesOf({ agent_status: status ?? 'unknown', ...agent }),
  };
}

/** Null: no runtime answers. Many workspaces have ten panes each, a few have what a usual day has. */
export function pushOf(state: State, now: number): PushState | null {
  if (state.link !== 'connected') return null;
  const many = state.workspaces.length > 10;
  const statusOf = (workspace: string): AgentStatus =>
    Object.values(state.bindings).find((row) => row.workspace === workspace)?.activity.status ?? 'idle';
  const panes = state.workspaces.flatMap(({ id }) => {
    const first = statusOf(id);
    const statuses: (AgentStatus | null)[] = many
      ? [first, 'working', 'idle', 'done', 'blocked', 'idle', 'unknown', 'idle', null, null]
      : [first, 'idle', null];
    return statuses.map((status, index) => pane(id, index, status, now));
  });
  return {
    boot_id: state.stream.boot ?? 'boot_1',
    state_seq: state.stream.position,
    server_time: now,
    herdr: {
      state: state.stream.herdr === 'live' ? 'live' : 'stale',
      problem: state.stream.herdr === 'live' ? null : 'Herdr does not answer',
      server: state.stream.server,
    },
    agents: [],
    workspaces: state.workspaces.map(({ id, label }) => ({
      id,
      label,
      roots: [`/home/ada/work/${label}`],
      panes: panes.filter(({ workspace_id }) => workspace_id === id).map(({ pane_id }) => pane_id),
    })),
    panes,
    lines: panes
      .filter(({ agent }) => agent !== undefined)
      .map(({ pane_id, agent_status }) => ({ pane: pane_id, line: LINES[agent_status], at: now })),
  };
}

/** Two machines of this person: the one in front of them, and one that is away. */
export function fleetIn(now: number): FleetAnswer {
  const self = 'dev_01JE0000000000000000000001';
  const device = { authorization: 'active' as const, paused: false, paired_at_ms: now - 86_400_000 * 30 };
  return {
    ok: true,
    self,
    observed_at_ms: now,
    devices: [
      { ...device, device_id: self, name: 'studio', connection: 'online', last_seen_ago_ms: 2_000 },
      {
        ...device,
        device_id: 'dev_01JE0000000000000000000002',
        name: 'build-server',
        connection: 'offline',
        last_seen_ago_ms: 5_400_000,
      },
    ],
  };
}
