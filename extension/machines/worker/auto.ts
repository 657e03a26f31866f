/** Auto: the person's choice for a scope, and whether it has effect now. Off unless switched on. Pure. */
import type { Reason } from '../../messages.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import { bridgeBusy } from '../bridge/index.ts';
import type { Binding, State } from './state.ts';

/** Where a page's switch is kept: its Project, else its conversation. Null: there is no switch here. */
function switchOf(page: PageIdentity): { kind: 'projects' | 'conversations'; key: string } | null {
  const project = projectOf(page);
  if (project) return { kind: 'projects', key: project.id };
  return page.conversation === null ? null : { kind: 'conversations', key: page.conversation };
}

export function setAuto(state: State, page: PageIdentity, on: boolean): { state: State; reason: Reason | null } {
  const where = switchOf(page);
  if (!where) return { state, reason: 'conversation_required' };
  if (on && where.kind === 'projects' && !state.config.projectPermission) {
    return { state, reason: 'project_permission_off' };
  }
  const { [where.key]: _before, ...rest } = state.auto[where.kind];
  const kind: Readonly<Record<string, true>> = on ? { ...rest, [where.key]: true } : rest;
  return { state: { ...state, auto: { ...state.auto, [where.kind]: kind } }, reason: null };
}

/** The saved choice stays while it cannot take effect: an offline runtime switches nothing off. */
export function autoOf(state: State, page: PageIdentity): { on: boolean; effective: boolean; why: Reason | null } {
  const where = switchOf(page);
  if (!where) return { on: false, effective: false, why: 'conversation_required' };
  const on = state.auto[where.kind][where.key] === true;
  if (where.kind === 'projects' && !state.config.projectPermission) {
    return { on, effective: false, why: 'project_permission_off' };
  }
  if (!on) return { on, effective: false, why: null };
  const why = state.link === 'connected' ? null : 'runtime_unavailable';
  return { on, effective: why === null, why };
}

/** Whether something may be sent by itself for this row. */
export function mayWake(state: State, row: Binding): boolean {
  if (row.target === null || bridgeBusy(state.bridge, row.target.conversation)) return false;
  const transferring = Object.values(state.transfers).some(
    ({ conversation }) => conversation === row.target?.conversation,
  );
  if (transferring) return false;
  if (row.project) return state.config.projectPermission && state.auto.projects[row.project.id] === true;
  return state.auto.conversations[row.target.conversation] === true;
}
