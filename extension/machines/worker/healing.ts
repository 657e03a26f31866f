/**
 * Where the worker's events meet recovery: what it has to know of the rest, and what it wants done. Recovery owns its part
 * of the state, types nothing and sends nothing. Pure.
 */
import { fnv1a } from '../../fnv.ts';
import type { Reason } from '../../messages.ts';
import type { PageIdentity, SiteId } from '../../page.ts';
import {
  type Context,
  isBackingOff,
  type RecoveryEffect,
  type RecoveryEvent,
  recoverChat,
  refused,
  withoutOver,
} from '../recovery/index.ts';
import { autoOf } from './auto.ts';
import { DONE, type Effect, type Event, type From, type HealthEvent, type Planned, type Step } from './events.ts';
import { boundTo, type Delivery, openDelivery, type State } from './state.ts';

/** What a page says of its health, or what it made of an order. */
export function healing(state: State, event: HealthEvent, now: number): Planned {
  switch (event.type) {
    case 'site_refused':
      return plainly(state, refused(state.recovery, event.from.page.site, now));
    case 'health':
    case 'examined': {
      const { page, tab, document } = event.from;
      if (page.conversation === null) return { state, effects: [] };
      const over = plainly(state, withoutOver(state.recovery, now)).state;
      const given: RecoveryEvent =
        event.type === 'health'
          ? { type: 'evidence', tab, document, evidence: event.evidence }
          : { type: 'examined', tab, document, evidence: event.evidence, server: event.server };
      return advise(over, page.conversation, page, given, now);
    }
    case 'declined': {
      const { from, id, reason } = event;
      const { conversation } = from.page;
      if (conversation === null) return { state, effects: [] };
      return advise(state, conversation, from.page, { type: 'declined', id, reason }, now);
    }
    case 'recovered': {
      const { conversation, id, answer } = event;
      return advise(state, conversation, pageOf(state, conversation), { type: 'answered', id, answer }, now);
    }
  }
}

/** A user turn was accepted: its budgets are its own. */
export function turnHealth(state: State, event: Extract<Event, { type: 'turn_accepted' }>, now: number): State {
  const { page } = event.from;
  if (page.conversation === null) return state;
  const given: RecoveryEvent = { type: 'turn', id: event.id ?? null, hash: fnv1a(event.text) };
  return advise(state, page.conversation, page, given, now).state;
}

/** The offered step, by a person's hand. */
export function pressRecover(state: State, { page, tab, document }: From, now: number): Step {
  const refuse = (reason: Reason): Step => ({ state, effects: [], reply: { ok: false, reason } });
  if (state.link === 'standby') return refuse('standby');
  if (page.conversation === null) return refuse('conversation_required');
  const context = contextOf(state, page.conversation, page, now);
  const advised = recoverChat(state.recovery, page.conversation, { type: 'pressed', tab, document }, context);
  if (advised.refused !== null) return refuse(advised.refused);
  return { ...performed(state, page.conversation, advised), reply: DONE };
}

/** What time alone changes. */
export function healthTime({ state, effects }: Planned, now: number): Planned {
  let next = plainly(state, withoutOver(state.recovery, now)).state;
  for (const conversation of Object.keys(next.recovery.chats))
    next = advise(next, conversation, pageOf(next, conversation), { type: 'tick' }, now).state;
  return { state: next, effects };
}

/** Whether nothing automatic may ask anything of the site of this conversation: it has refused a moment ago. */
export function isHeldBack(state: State, conversation: string, now: number): boolean {
  return sitesOf(state, conversation).some((site) => isBackingOff(state.recovery, site, now));
}

/** Why a message that nobody pressed must not be submitted now. */
export function rateLimited(state: State, { manual, kind, conversation }: Delivery, now: number): Reason | null {
  return !manual && kind !== 'queue' && isHeldBack(state, conversation, now) ? 'rate_limited' : null;
}

function advise(
  state: State,
  conversation: string,
  page: PageIdentity | null,
  event: RecoveryEvent,
  now: number,
): Planned {
  const context = contextOf(state, conversation, page, now);
  return performed(state, conversation, recoverChat(state.recovery, conversation, event, context));
}

function performed(state: State, conversation: string, advised: ReturnType<typeof recoverChat>): Planned {
  const effects = advised.effects.map((effect) => effectOf(effect, conversation));
  return { ...plainly(state, advised.recovery), effects };
}

function effectOf(effect: RecoveryEffect, conversation: string): Effect {
  if (effect.type !== 'recover') return { ...effect, conversation };
  const { id, act, error, stillMs, ignoreStreaming } = effect.order;
  return { type: 'recover', tab: effect.tab, conversation, order: { id, act, error, stillMs, ignoreStreaming } };
}

const plainly = (state: State, recovery: State['recovery']): Planned => ({
  state: recovery === state.recovery ? state : { ...state, recovery },
  effects: [],
});

function contextOf(state: State, conversation: string, page: PageIdentity | null, now: number): Context {
  return {
    now,
    auto: page !== null && autoOf(state, page).effective,
    doubtful: isDoubtful(state, conversation),
    transferring: Object.values(state.transfers).some(
      (one) => one.conversation === conversation || one.target?.conversation === conversation,
    ),
    backingOff: page !== null && isBackingOff(state.recovery, page.site, now),
    isOpen: (tab) => state.tabs[tab]?.page.conversation === conversation,
  };
}

/** A message of ours is in a page, or was submitted and not seen since the turn that is healed began. */
function isDoubtful(state: State, conversation: string): boolean {
  const open = openDelivery(state, conversation);
  if (open && open.state !== 'planned') return true;
  const began = state.recovery.chats[conversation]?.turn?.at ?? 0;
  return Object.values(state.deliveries).some(
    (one) => one.conversation === conversation && one.state === 'uncertain' && one.updatedAt >= began,
  );
}

function pageOf(state: State, conversation: string): PageIdentity | null {
  return Object.values(state.tabs).find(({ page }) => page.conversation === conversation)?.page ?? null;
}

function sitesOf(state: State, conversation: string): SiteId[] {
  const page = pageOf(state, conversation);
  return [...(page === null ? [] : [page.site]), ...boundTo(state, conversation).map(({ site }) => site)];
}
