/** How things stand around one conversation, as Auto and the pressure have to know it. Pure. */
import { projectOf } from '../../page.ts';
import { POLICIES } from '../../policy.ts';
import type { Facts } from '../auto/index.ts';
import { type Boundary, isAtLeast, levelOf } from '../pressure/index.ts';
import { isBackingOff } from '../recovery/index.ts';
import { autoOf } from './auto.ts';
import { queueOf } from './queue.ts';
import { readyTab } from './ready.ts';
import { boundTo, type Delivery, openDelivery, type State, type Tab } from './state.ts';

export function standingOf(state: State, conversation: string, now: number): Facts {
  const rows = boundTo(state, conversation);
  const tabs = tabsOf(state, conversation);
  const page = tabs[0]?.page ?? null;
  const site = page?.site ?? rows[0]?.site ?? null;
  const last = lastDelivery(state, conversation);
  const known = state.pressures[conversation];
  const chosen = page === null ? null : autoOf(state, page);
  return {
    judged: site !== null && POLICIES[site].judges,
    auto: chosen?.on === true && chosen.why !== 'project_permission_off',
    connected: state.link === 'connected',
    transfer: isMoving(state, conversation),
    bound: rows.length > 0,
    queued: queueOf(state, conversation).entries.length,
    paceSec: state.config.progressTickSec,
    page: tabs.length === 0 ? 'none' : pageOf(tabs, readyTab(state, conversation)),
    messageInFlight: openDelivery(state, conversation) !== undefined,
    settlePending: rows.some(({ activity }) => activity.pending !== null && !activity.pending.uncertain),
    working: rows.some(({ activity }) => activity.status === 'working'),
    uncertainAt: last?.state === 'uncertain' ? last.updatedAt : null,
    rateLimited: site !== null && isBackingOff(state.recovery, site, now),
    broken: (state.recovery.chats[conversation]?.phase ?? 'well') !== 'well',
    underPressure: known !== undefined && isAtLeast(levelOf(known, now), 'handoff_prepare'),
    continueMessage: state.config.continueMessage,
  };
}

export function boundaryOf(state: State, conversation: string, now: number): Boundary {
  const facts = standingOf(state, conversation, now);
  const inProject = tabsOf(state, conversation).some(({ page }) => projectOf(page) !== null);
  return {
    possible: facts.judged && inProject,
    auto: facts.auto,
    connected: facts.connected,
    quiet: facts.page === 'quiet',
    working: facts.working,
    messageOpen: facts.messageInFlight || facts.uncertainAt !== null || facts.settlePending,
    transfer: facts.transfer,
    rateLimited: facts.rateLimited,
  };
}

const tabsOf = (state: State, conversation: string): Tab[] =>
  Object.values(state.tabs).filter(({ page }) => page.conversation === conversation);

/** Two tabs of one chat: what stands in the way in one of them stands in the way. */
function pageOf(tabs: readonly Tab[], ready: number | null): Facts['page'] {
  if (tabs.some(({ state }) => state.busy === true)) return 'busy';
  return ready === null ? 'not_quiet' : 'quiet';
}

const isMoving = ({ transfers }: State, conversation: string): boolean =>
  Object.values(transfers).some((one) => one.conversation === conversation);

export function lastDelivery({ deliveries }: State, conversation: string): Delivery | null {
  let last: Delivery | null = null;
  for (const one of Object.values(deliveries)) {
    if (one.conversation === conversation && (last === null || one.updatedAt >= last.updatedAt)) last = one;
  }
  return last;
}
