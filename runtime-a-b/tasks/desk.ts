/**
 * A task is written down before its prompt is typed and told how that went right after. A kill in between leaves a row that
 * says so; a prompt that was certainly not typed leaves none.
 */
import type { Principal } from '../../contract/call.ts';
import type { TaskView } from '../../contract/extension/tasks.ts';
import type { AgentInfo, AgentStatus } from '../../contract/herdr/index.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { knownStatus } from '../herdr/index.ts';
import { afterSubmit } from './lifecycle.ts';
import { SETTLE_LOOK_MS, SETTLE_WAIT_MS } from './limits.ts';
import { type Parent, parentColumns } from './parents.ts';
import { columnsOf, SUBMITTING, type TaskRow } from './row.ts';
import type { TaskStore } from './store.ts';
import { taskView } from './view.ts';

export interface NewDispatch {
  dispatchId: string;
  deviceId: string;
  principal: Pick<Principal, 'kind' | 'id'>;
  callerSession: string | undefined;
  /** As the caller named the agent. */
  target: string;
  serverKey: string;
  /** The agent as it was asked for right before. */
  agent: AgentInfo;
  parent: Parent;
}

export interface BegunTask {
  /** The prompt was typed; from now on it is followed. */
  submitted(after: { status: AgentStatus; seq: number | null; started: boolean }): void;
  /** Whether it was typed is not known. */
  uncertain(): void;
  /** It was certainly not typed. */
  refused(): void;
  /** Gives it a parent that was proved meanwhile; one that has a parent keeps it. */
  adopt(parent: Parent): void;
  /** As it stands now. */
  view(): TaskView;
}

export interface DeskParts {
  store: TaskStore;
  bootId: string;
  nowMs: () => number;
  random: (bytes: number) => Uint8Array;
  /** Something changed that the tracker should look at. */
  poke: () => void;
}

/** Writes the task down. Throws `agent_task_store_unavailable` when that fails: then nothing may be typed. */
export function beginTask(dispatch: NewDispatch, parts: DeskParts): BegunTask {
  const { store, nowMs } = parts;
  const at = nowMs();
  const { agent } = dispatch;
  const before = { status: knownStatus(agent.agent_status), seq: agent.state_change_seq ?? null };
  const taskId = dispatch.dispatchId;
  stored(() =>
    store.insert({
      taskId,
      turnId: `turn:agent:${Buffer.from(parts.random(16)).toString('hex')}`,
      deviceId: dispatch.deviceId,
      principalKind: dispatch.principal.kind,
      principalId: dispatch.principal.id,
      callerSession: dispatch.callerSession ?? null,
      ...parentColumns(dispatch.parent),
      target: dispatch.target,
      serverKey: dispatch.serverKey,
      terminalId: agent.terminal_id,
      paneId: agent.pane_id,
      workspaceId: agent.workspace_id,
      agentName: agent.name ?? null,
      agentKind: agent.agent ?? null,
      lifecycle: SUBMITTING,
      reason: 'submitting',
      baselineStatus: before.status,
      baselineSeq: before.seq,
      gateSeq: before.seq,
      bootId: parts.bootId,
      createdAt: at,
      updatedAt: at,
    }),
  );

  function row(): TaskRow {
    const found = store.find(taskId);
    if (!found) throw new Error(`task ${taskId} has gone while it was sent`);
    return found;
  }

  /** Made again from the row as it stands, when the tracker was quicker. */
  function change(make: (row: TaskRow) => Partial<TaskRow> | undefined, ends?: boolean): void {
    for (;;) {
      const before = row();
      const columns = make(before);
      if (!columns || store.change({ row: before, columns, ...(ends ? { ends } : {}) }, nowMs())) break;
    }
    parts.poke();
  }

  return {
    submitted(after) {
      const ahead = store.hasEarlier(dispatch.serverKey, agent.terminal_id, taskId);
      const columns = columnsOf(afterSubmit(before, after, ahead, nowMs()));
      change(({ lifecycle }) => (lifecycle === SUBMITTING ? columns : undefined));
    },
    uncertain: () =>
      change(
        ({ lifecycle }) =>
          lifecycle === SUBMITTING ? { lifecycle: 'delivery_uncertain', reason: 'submission_unknown' } : undefined,
        true,
      ),
    refused: () => store.drop(taskId),
    adopt: (parent) =>
      change(({ parentKind, terminalAt, acknowledgedAt }) => {
        if (parentKind !== 'none') return undefined;
        const untold = terminalAt !== null && acknowledgedAt === null;
        return { ...parentColumns(parent), ...(untold ? { notificationState: 'pending' } : {}) };
      }),
    view: () => taskView(row()),
  };
}

/**
 * Before a prompt is typed for an agent that is quiet while an earlier task of it still counts as running: waits until that
 * one has ended or goes on. True when it waited, and the agent has to be looked at anew.
 */
export async function settleEarlier(
  agent: AgentInfo,
  serverKey: string,
  { store, nowMs, poke }: Pick<DeskParts, 'store' | 'nowMs' | 'poke'>,
  refresh: () => Promise<unknown>,
): Promise<boolean> {
  const status = knownStatus(agent.agent_status);
  if (status !== 'idle' && status !== 'done') return false;
  const isSettling = () => store.isRunning(serverKey, agent.terminal_id);
  if (!isSettling()) return false;
  const until = nowMs() + SETTLE_WAIT_MS;
  await refresh();
  poke();
  while (isSettling() && nowMs() < until) await new Promise((resolve) => setTimeout(resolve, SETTLE_LOOK_MS));
  return true;
}

function stored(write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new OutcomeError('agent_task_store_unavailable', 'The task could not be written down. Nothing was sent.', {
      delivery: 'not_delivered',
      next: 'Send it again in a moment; herdr-mcp doctor names what is wrong with the state folder.',
      cause: error,
    });
  }
}
