/** Handoffs that somebody else than this browser's person has begun: a local agent or a planner. Pure. */
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import type { Reason } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import { handoffIn } from '../handoff/index.ts';
import type { Event } from './events.ts';
import { isEnded, rowsOf, startObjection } from './handoff-guards.ts';
import { hex32, joined, type Run, start } from './handoff-run.ts';
import { tabOf } from './ready.ts';
import type { State } from './state.ts';

/**
 * A local agent or a planner hands a chat over through the same service: the same rules, and the same cut-over. Its new
 * chat is looked for and moved to as if the button had been pressed.
 */
export function ofAgents(run: Run, event: Extract<Event, { type: 'actuation' }>, now: number): Run {
  const { state } = run;
  if (event.event.type !== 'claimed' || event.event.command === null || event.event.command === 'unknown') {
    return run;
  }
  const { operation, message, source_url: source, dispatch_id: dispatch } = event.event.command;
  const meant = operation === 'session.create' && message !== null ? handoffIn(message) : null;
  if (meant === null || source === null || message === null) return run;
  const mine = isRunning(state, dispatch, meant.handoffId);
  const tab = tabOf(state, source, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  if (mine || tab === null || page === undefined || agentObjection(state, page, tab, meant) !== null) return run;
  const known = { phase: 'observing' as const, handoffId: meant.handoffId, message, dispatch };
  const { continuityId } = meant;
  return joined(run, start(state, page, tab, 'local_agent', hex32(dispatch), now, { ...known, continuityId }));
}

const isRunning = (state: State, dispatch: string, handoffId: string): boolean =>
  Object.values(state.transfers).some((one) => one.dispatch === dispatch || one.handoffId === handoffId);

/** A message that names another line of work than the one that the chat belongs to would take this one along under its name. */
function agentObjection(state: State, page: PageIdentity, tab: number, meant: { continuityId: string }): Reason | null {
  const another = rowsOf(state, page).some(({ continuityId }) => continuityId !== meant.continuityId);
  return startObjection(state, page, tab, null) ?? (another ? 'binding_continuity_conflict' : null);
}

/** Why an agent's handoff is not done: the same rules as for a person, and they are asked before anything is opened. */
export function handoffObjection(state: State, command: ActuationCommand): Reason | null {
  const { operation, message, source_url: source, dispatch_id: dispatch } = command;
  if (message !== null && isEnded(state, message)) return 'taken_over';
  const meant = operation === 'session.create' && message !== null ? handoffIn(message) : null;
  if (meant === null || source === null || isRunning(state, dispatch, meant.handoffId)) return null;
  const tab = tabOf(state, source, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  return tab === null || page === undefined ? null : agentObjection(state, page, tab, meant);
}
