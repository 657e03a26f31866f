/**
 * The one write of a handoff: rows, Auto, Queue and what the runtime is to be told move together, or nothing does. A
 * Project's rows keep their key and their chain and only send elsewhere; a conversation's rows move to the new one. Pure.
 */
import type { Reason } from '../../messages.ts';
import { projectOf } from '../../page.ts';
import type { Cutover, Transfer } from '../handoff/index.ts';
import { moveQueue } from './queue.ts';
import { tabOf } from './ready.ts';
import { renamed } from './renamed.ts';
import { type Binding, openDelivery, type State } from './state.ts';

export type Cut =
  | { kind: 'done'; state: State; cutover: Cutover }
  /** A message is still on its way in the source. */
  | { kind: 'later' }
  | { kind: 'refused'; reason: Reason };

export function cutOver(state: State, transfer: Transfer, message: string | null, now: number): Cut {
  const { conversation: source, target: to, dispatch } = transfer;
  if (to === null || dispatch === null) return { kind: 'later' };
  const target = to.conversation;
  if (target === source) return { kind: 'refused', reason: 'target_is_source' };
  if (openDelivery(state, source)) return { kind: 'later' };
  const tab = tabOf(state, target, to.tab);
  const page = tab === null ? null : (state.tabs[tab]?.page ?? null);
  if (page !== null && (projectOf(page)?.key ?? null) !== transfer.projectKey)
    return { kind: 'refused', reason: 'target_project_mismatch' };
  const moving = transfer.rows.map(({ id }) => state.bindings[id]);
  const rows = moving.filter((row) => row !== undefined);
  const unchanged =
    rows.length === transfer.rows.length &&
    transfer.rows.every(({ id, revision }) => state.bindings[id]?.revision === revision) &&
    sourceRows(state, transfer).length === rows.length;
  if (!unchanged) return { kind: 'refused', reason: 'binding_changed' };
  const own = new Set(rows.map(({ id }) => id));
  const there = Object.values(state.bindings).filter(
    (row) => !own.has(row.id) && (row.scopeKey === target || row.target?.conversation === target),
  );
  // Rows that the new chat was given provisionally for the same workspaces are these.
  const provisional = there.length > 0 && sameWorkspaces(there, rows) && transfer.projectKey === null;
  if (there.length > 0 && !provisional) return { kind: 'refused', reason: 'target_already_bound' };
  const place = { conversation: target, url: page?.url ?? target };
  const gone = new Set([...own, ...there.map(({ id }) => id)]);
  const kept = Object.values(state.bindings).filter(({ id }) => !gone.has(id));
  const moved = rows.map((row) => movedRow(row, place, tab));
  const names = rows.map(({ id }, index): [string, string] => [id, moved[index]?.id ?? id]);
  const queued = renamed(moveQueue(state, source, target).state, names);
  const next: State = {
    ...queued,
    bindings: Object.fromEntries([...kept, ...moved].map((row) => [row.id, row])),
    auto: inherited(state, source, target),
  };
  const cutover: Cutover = {
    id: transfer.id,
    source: state.sessions[source]?.ref ?? null,
    target: to.session ?? state.sessions[target]?.ref ?? '',
    targetConversation: target,
    dispatch,
    message,
    askedAt: now,
  };
  return { kind: 'done', state: { ...next, cutovers: { ...next.cutovers, [cutover.id]: cutover } }, cutover };
}

/** The rows that the source has now, by the same rule by which they were written down. */
export function sourceRows(
  state: State,
  { conversation, projectKey }: Pick<Transfer, 'conversation' | 'projectKey'>,
): Binding[] {
  return Object.values(state.bindings).filter(
    ({ scopeKey, target }) =>
      target?.conversation === conversation || (target === null && scopeKey === (projectKey ?? conversation)),
  );
}

const sameWorkspaces = (a: readonly Binding[], b: readonly Binding[]): boolean =>
  namesOf(a).join('\n') === namesOf(b).join('\n');
const namesOf = (rows: readonly Binding[]): string[] =>
  rows.map(({ server, workspace }) => `${server}/${workspace}`).sort();

function movedRow(row: Binding, target: NonNullable<Binding['target']>, tab: number | null): Binding {
  const sends = { ...row, target, tab, revision: row.revision + 1 };
  if (row.scope === 'project') return sends;
  const id = `${target.conversation}::${row.server}/${row.workspace}`;
  return { ...sends, id, scope: 'conversation', scopeKey: target.conversation };
}

/** The person's choice as it is now, not as it was when the handoff began. A Project's choice is the Project's. */
function inherited({ auto }: State, source: string, target: string): State['auto'] {
  const { [source]: on, ...others } = auto.conversations;
  return on === true ? { ...auto, conversations: { ...others, [target]: true } } : auto;
}
