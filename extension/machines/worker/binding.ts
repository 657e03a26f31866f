/** Which browser scope belongs to which workspace (reference/extension.md 4.1). Pure. */

import type { Reason } from '../../messages.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import { POLICIES } from '../../policy.ts';
import { IDLE } from './at-work.ts';
import { RETIRED_KEPT } from './limits.ts';
import { renamed } from './renamed.ts';
import { type Binding, type Scope, type State, withBinding } from './state.ts';

/** Where a page's bindings are found: its Project's, else its conversation's, else its tab's. */
export function scopeOf(page: PageIdentity, tab: number): { scope: Scope; key: string } {
  const project = projectOf(page);
  if (project) return { scope: 'project', key: project.key };
  if (page.conversation !== null) return { scope: 'conversation', key: page.conversation };
  return { scope: 'pending', key: `tab:${tab}` };
}

/** The rows that a page shows: those of its scope, and those that send to its conversation. */
export function bindingsOf(state: State, page: PageIdentity, tab: number): Binding[] {
  const { key } = scopeOf(page, tab);
  return Object.values(state.bindings).filter(
    ({ scopeKey, target }) =>
      scopeKey === key || (page.conversation !== null && target?.conversation === page.conversation),
  );
}

/** The rows whose line of work a conversation belongs to: those that send to it, else those of its Project. */
export function conversationRows(rows: readonly Binding[], page: PageIdentity): Binding[] {
  const direct = rows.filter(({ target }) => target !== null && target.conversation === page.conversation);
  if (direct.length > 0) return direct;
  const project = projectOf(page);
  return project ? rows.filter(({ scopeKey }) => scopeKey === project.key) : [];
}

export interface BindRequest {
  page: PageIdentity;
  tab: number;
  workspace: string;
  /** Minted for a scope that has no chain yet. */
  continuityId: string;
  now: number;
}

/** Binds a workspace of the live catalogue to the page's scope. Anything else of the page stays as it is. */
export function bind(state: State, request: BindRequest): { state: State; reason: Reason | null } {
  const { page, tab, workspace, now } = request;
  const { server } = state.stream;
  const live = state.workspaces.find(({ id }) => id === workspace);
  const policy = POLICIES[page.site];
  if (!policy.binds) return { state, reason: 'site_unbound' };
  if (page.place === 'root' && policy.launcher === 'nothing') return { state, reason: 'conversation_required' };
  if (workspace === '') return { state, reason: 'workspace_required' };
  if (!live || server === null) return { state, reason: 'workspace_gone' };
  const { scope, key } = scopeOf(page, tab);
  const id = `${key}::${server}/${workspace}`;
  const same = bindingsOf(state, page, tab);
  if (same.some((row) => row.server === server && row.workspace === workspace))
    return { state, reason: 'already_bound' };
  const project = projectOf(page);
  const sibling = same.find((row) => row.scopeKey === key);
  const target =
    sibling?.target ?? (page.conversation === null ? null : { conversation: page.conversation, url: page.url });
  const binding: Binding = {
    id,
    scope,
    scopeKey: key,
    site: page.site,
    project: project && { id: project.id, name: project.name },
    server,
    workspace,
    label: live.label,
    target,
    tab: page.place === 'project' ? null : tab,
    // One scope is one line of work, whatever number of workspaces it has.
    continuityId: sibling?.continuityId ?? request.continuityId,
    revision: 1,
    createdAt: now,
    activity: { ...IDLE, progress: { ...IDLE.progress, checkedAt: now } },
    connector: sibling?.connector ?? null,
  };
  return { state: withBinding(state, binding), reason: null };
}

/** Removes the one row. */
export function unbind(state: State, id: string): { state: State; reason: Reason | null } {
  if (!state.bindings[id]) return { state, reason: 'unbound' };
  const { [id]: _gone, ...bindings } = state.bindings;
  return { state: { ...state, bindings }, reason: null };
}

/** A page is at a place. A pending tab that has come to a Project or a chat takes its rows there, once. */
export function arrive(state: State, page: PageIdentity, tab: number): State {
  const { scope, key } = scopeOf(page, tab);
  let next = state;
  if (scope !== 'pending' && (POLICIES[page.site].launcher !== 'born' || page.born === true)) {
    for (const row of Object.values(state.bindings)) {
      if (row.scopeKey === `tab:${tab}`) next = rekey(next, row, page, scope, key);
    }
  }
  // A new address of the same chat, or its new tab: where to find it, not which chat it is.
  for (const row of Object.values(next.bindings)) {
    if (page.conversation === null || row.target?.conversation !== page.conversation) continue;
    if (row.tab === tab && row.target.url === page.url) continue;
    next = withBinding(next, { ...row, tab, target: { conversation: page.conversation, url: page.url } });
  }
  return next;
}

function rekey(state: State, row: Binding, page: PageIdentity, scope: Scope, key: string): State {
  const { [row.id]: _gone, ...rest } = state.bindings;
  const id = `${key}::${row.server}/${row.workspace}`;
  const without = renamed({ ...state, bindings: rest }, [[row.id, id]]);
  const target = page.conversation === null ? null : { conversation: page.conversation, url: page.url };
  const there = rest[id];
  if (there) return withBinding(without, there.target ? there : { ...there, target, revision: there.revision + 1 });
  const project = projectOf(page);
  const sibling = Object.values(rest).find(({ scopeKey }) => scopeKey === key);
  return withBinding(without, {
    ...row,
    id,
    scope,
    scopeKey: key,
    project: project && { id: project.id, name: project.name },
    target: sibling?.target ?? target,
    continuityId: sibling?.continuityId ?? row.continuityId,
    revision: row.revision + 1,
  });
}

/**
 * A person's turn was accepted in a chat. Only this, and a handover, moves a Project's target; a transfer of that Project
 * holds it where it is. Opening a chat, looking at it or registering it moves nothing.
 */
export function userTurnAccepted(state: State, page: PageIdentity, tab: number): State {
  const project = projectOf(page);
  if (!project || page.conversation === null) return state;
  if (Object.values(state.transfers).some(({ projectKey }) => projectKey === project.key)) return state;
  let next = state;
  for (const row of Object.values(state.bindings)) {
    if (row.scopeKey !== project.key || row.target?.conversation === page.conversation) continue;
    const target = { conversation: page.conversation, url: page.url };
    next = withBinding(next, { ...row, target, tab, revision: row.revision + 1 });
  }
  return next;
}

/** The live catalogue: labels are taken from it, and what it no longer has has ended. No other workspace inherits a row. */
export function catalogue(
  state: State,
  live: { server: string; workspaces: readonly { id: string; label: string }[] },
  now: number,
): State {
  const labels = new Map(live.workspaces.map(({ id, label }) => [id, label]));
  let next: State = { ...state, workspaces: live.workspaces };
  for (const row of Object.values(state.bindings)) {
    const label = labels.get(row.workspace);
    if (row.server !== live.server) next = retire(next, row, 'server_changed', now);
    else if (label === undefined) next = retire(next, row, 'workspace_closed', now);
    else if (label !== row.label) next = withBinding(next, { ...row, label });
  }
  return next;
}

export function retire(state: State, row: Binding, why: State['retired'][number]['why'], at: number): State {
  const { [row.id]: _gone, ...bindings } = state.bindings;
  const entry = { id: row.id, label: row.label, scopeKey: row.scopeKey, why, at };
  return { ...state, bindings, retired: [...state.retired, entry].slice(-RETIRED_KEPT) };
}
