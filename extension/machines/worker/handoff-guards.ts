/** Who may begin a handoff now, and why not. The same rules for a person, for Auto and for a local agent. Pure. */
import type { Reason } from '../../messages.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import { POLICIES } from '../../policy.ts';
import { bridgeBusy } from '../bridge/index.ts';
import type { Transfer } from '../handoff/index.ts';
import { sourceRows } from './cut-over.ts';
import type { Fresh } from './events.ts';
import { type Binding, openDelivery, type State } from './state.ts';

/** The handoff that a page is the source of. */
export function transferOf(state: State, page: Pick<PageIdentity, 'conversation'>): Transfer | undefined {
  return Object.values(state.transfers).find(({ conversation }) => conversation === page.conversation);
}

/** Why a person cannot hand this conversation over now; null: may. `fresh` is the live state, where it was asked. */
export function startObjection(state: State, page: PageIdentity, tab: number, fresh: Fresh | null): Reason | null {
  const { conversation, project } = page;
  if (conversation === null) return 'conversation_required';
  if (POLICIES[page.site].handoff === 'none') return 'handoff_unsupported';
  if (project === 'unknown') return 'project_unknown';
  const projectKey = projectOf(page)?.key ?? null;
  const other = Object.values(state.transfers).some(
    (one) => one.conversation === conversation || (projectKey !== null && one.projectKey === projectKey),
  );
  if (other) return 'transfer_active';
  if (state.link !== 'connected') return 'runtime_unavailable';
  const rows = rowsOf(state, page);
  const works = rows.some((row) => isWorking(row, fresh));
  if (works) return 'workspace_busy';
  if (new Set(rows.map(({ continuityId }) => continuityId)).size > 1) return 'binding_continuity_conflict';
  if (openDelivery(state, conversation)) return 'wake_in_flight';
  if (bridgeBusy(state.bridge, conversation)) return 'turn_in_progress';
  // Another tab of the chat may be the one that shows its turn.
  const shown = Object.entries(state.tabs).flatMap(([id, open]) =>
    Number(id) === tab || open.page.conversation === conversation ? [open.state] : [],
  );
  if (shown.some(({ card }) => card)) return 'card_waiting';
  return shown.some(({ busy }) => busy !== false) ? 'turn_in_progress' : null;
}

/** Begun by Auto, which has been switched off since. What the service was given is no longer Auto's to stop. */
export function isTakenBack({ auto, config }: State, { trigger, project }: Transfer): boolean {
  if (trigger === 'manual' || trigger === 'local_agent') return false;
  return project === null || !config.projectPermission || auto.projects[project.id] !== true;
}

/** A person has ended the handoff that this message belongs to: it is never to go out any more. */
export const isEnded = ({ endings }: State, message: string): boolean =>
  Object.values(endings).some((one) => one.message === message);

/** The rows that a handoff of this page would move. A Project's rows move only from the chat that they send to. */
export const rowsOf = (state: State, page: PageIdentity): Binding[] =>
  sourceRows(state, { conversation: page.conversation ?? '', projectKey: projectOf(page)?.key ?? null });

const isWorking = (row: Binding, fresh: Fresh | null): boolean =>
  fresh === null
    ? row.activity.status === 'working'
    : fresh.agents.some(({ workspace, status }) => workspace === row.workspace && status === 'working');
