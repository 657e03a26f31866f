/** Whose a task is, and who may see it: its parent alone, and the person at the workstation. */
import { and, eq, isNull, or, type SQL } from 'drizzle-orm/sql';
import type { Principal } from '../../contract/call.ts';
import type { AgentInfo } from '../../contract/herdr/index.ts';
import type { TaskRow } from './row.ts';
import { agentTasks } from './schema.ts';

/** Who asks. `sessionRef` is the conversation that this caller was proved to be. */
export interface Asker {
  principal: Pick<Principal, 'kind' | 'id'>;
  callerSession: string | undefined;
  sessionRef: string | null;
}

/** Whom the end of a task is told. */
export type Parent =
  | { kind: 'none' }
  | { kind: 'session'; sessionRef: string }
  | { kind: 'agent'; target: string; agent: AgentInfo };

export function parentColumns(parent: Parent): Partial<TaskRow> {
  if (parent.kind === 'session') return { parentKind: 'session', parentSessionRef: parent.sessionRef };
  if (parent.kind === 'none') return { parentKind: 'none' };
  return {
    parentKind: 'agent',
    parentTarget: parent.target,
    parentTerminalId: parent.agent.terminal_id,
    parentPaneId: parent.agent.pane_id,
    parentName: parent.agent.name ?? null,
  };
}

/** Somebody with the workstation's own bearer: a person, or an agent that a person started. The extension is neither. */
export const isPerson = ({ kind, id }: Pick<Principal, 'kind' | 'id'>): boolean =>
  kind === 'local' && id !== 'extension';

/**
 * The tasks of whoever asks. A conversation of a connector sees what it dispatched itself, by its mark or by what it was
 * proved to be, and nothing of another one. Undefined: everything, for a person.
 */
export function scopeOf(asker: Asker): SQL | undefined {
  if (isPerson(asker.principal)) return undefined;
  const own = asker.callerSession;
  const mine = own === undefined ? isNull(agentTasks.callerSession) : eq(agentTasks.callerSession, own);
  const proved = asker.sessionRef === null ? undefined : eq(agentTasks.parentSessionRef, asker.sessionRef);
  return and(
    eq(agentTasks.principalKind, asker.principal.kind),
    eq(agentTasks.principalId, asker.principal.id),
    proved ? or(mine, proved) : mine,
  );
}

/** The tasks of a conversation in the browser, for the extension. */
export const scopeOfSession = (sessionRef: string): SQL | undefined =>
  and(eq(agentTasks.parentKind, 'session'), eq(agentTasks.parentSessionRef, sessionRef));

/** The tasks of a local agent, however it is named: its terminal, its pane, its name, or the words of the dispatch. */
export function scopeOfAgent(target: string, agent: AgentInfo | undefined): SQL | undefined {
  const words = [
    eq(agentTasks.parentTarget, target),
    eq(agentTasks.parentName, target),
    eq(agentTasks.parentPaneId, target),
  ];
  const now = agent ? [eq(agentTasks.parentTerminalId, agent.terminal_id)] : [];
  return and(eq(agentTasks.parentKind, 'agent'), or(...words, ...now));
}

/** The same decision for one task. */
export function maySee(asker: Asker, row: TaskRow): boolean {
  if (isPerson(asker.principal)) return true;
  if (row.principalKind !== asker.principal.kind || row.principalId !== asker.principal.id) return false;
  if (row.callerSession === (asker.callerSession ?? null)) return true;
  return asker.sessionRef !== null && row.parentSessionRef === asker.sessionRef;
}

/** Whether a task belongs to the local agent that is named. */
export function isChildOf(row: TaskRow, target: string, agent: AgentInfo | undefined): boolean {
  if (row.parentKind !== 'agent') return false;
  if (agent && row.parentTerminalId === agent.terminal_id) return true;
  return [row.parentTarget, row.parentName, row.parentPaneId].includes(target);
}
