/** Carries out what the delivery service and a handoff ask of the browser, and gives back what came of it. */

import { browser } from 'wxt/browser';
import type { ActuationCommand } from '../../contract/browser/actuation.ts';
import { type ActuationEffect, besideTab } from '../machines/actuation/index.ts';
import type { HandoffEffect } from '../machines/handoff/index.ts';
import type { Effect, Event, State } from '../machines/worker/index.ts';
import { type PageIdentity, SITES } from '../page.ts';
import { POLICIES } from '../policy.ts';
import type { Accounts } from './accounts.ts';
import type { AskPage } from './ask-page.ts';
import type { DispatchDoor } from './dispatches.ts';
import { derivedId } from './journal.ts';
import { closeOpened, putAway } from './leaving.ts';
import { CHECK_LOOK_MS, CHECK_LOOKS, NAME_LOOK_MS, NAME_LOOKS, PROVE_LOOK_MS, PROVE_LOOKS } from './limits.ts';
import { lookWhoIsThere } from './present.ts';
import type { Registry } from './registry.ts';
import type { Wakes } from './wakes.ts';

export interface MovingParts {
  dispatches: DispatchDoor;
  registry: Registry;
  accounts: Pick<Accounts, 'signedIn' | 'mark'>;
  pause(ms: number): Promise<void>;
  take(event: Event): Promise<unknown>;
  state(): Promise<State>;
  askPage: AskPage;
  wakes: Pick<Wakes, 'claim' | 'handOver'>;
}

type Moving = Extract<Effect, { type: 'actuate' | 'hand_over' | 'cut_over' | 'retire_tab' }>;

export function isMoving(effect: Effect): effect is Moving {
  return ['actuate', 'hand_over', 'cut_over', 'retire_tab'].includes(effect.type);
}

export async function performMoving(parts: MovingParts, effect: Moving): Promise<void> {
  switch (effect.type) {
    case 'actuate':
      return actuate(parts, effect.wants);
    case 'hand_over':
      return handOver(parts, effect.wants);
    case 'cut_over': {
      const { cutover } = effect;
      // The new chat may not have been named yet when it was moved to.
      const target = cutover.target || (await sessionOf(parts, cutover.targetConversation)) || '';
      if (target !== '' && (await parts.dispatches.cutOver({ ...cutover, target })))
        await parts.take({ type: 'cut_over', id: cutover.id, target });
      return;
    }
    case 'retire_tab':
      return retire(parts, effect.tab, effect.conversation);
  }
}

async function actuate(parts: MovingParts, wants: Extract<Moving, { type: 'actuate' }>['wants']): Promise<void> {
  const { dispatches, take } = parts;
  switch (wants.type) {
    case 'claim': {
      const command = await dispatches.claim(wants.id, wants.claimant);
      if (command !== null && command !== 'unknown')
        await lookWhoIsThere(parts, command.session?.canonical_url ?? null);
      await take({ type: 'actuation', id: wants.id, event: { type: 'claimed', command } });
      return;
    }
    case 'open': {
      const tab = await openTab(parts, wants);
      await take({ type: 'actuation', id: wants.id, event: { type: 'opened', tab } });
      return;
    }
    case 'defer':
      return dispatches.defer(wants.id, wants.claimant, wants.reason);
    case 'check':
      return check(parts, wants);
    case 'prove':
      return prove(parts, wants);
    case 'close':
      return closeOpened(parts, wants.tab);
    case 'put_away': {
      const event = { type: 'put_away' as const, tab: await putAway(parts, wants) };
      await take({ type: 'actuation', id: wants.id, event });
      return;
    }
    case 'show':
      return bringUp(wants.tab);
    case 'press': {
      const { id, tab, command } = wants;
      const what = command.operation === 'session.archive' ? ('archive' as const) : ('stop' as const);
      const order = { id, what, ...(wants.account === null ? {} : { account: wants.account }) };
      const answer = await parts.askPage(tab, command.session?.canonical_url ?? null, 'press', order);
      const said =
        answer === null ? null : answer.ok ? answer.value : { pressed: false, done: false, reason: answer.reason };
      const event =
        said === null
          ? { type: 'pressed' as const, pressed: null, stopped: false, reason: 'page_gone' }
          : { type: 'pressed' as const, pressed: said.pressed, stopped: said.done, reason: said.reason };
      await take({ type: 'actuation', id, event });
      return;
    }
    case 'name':
      return name(parts, wants);
    case 'report': {
      const told = await dispatches.report(wants.id, wants.claimant, wants.evidence);
      const answer = told === null ? null : told === 'over' ? 'over' : 'told';
      const known =
        told === null || told === 'over'
          ? {}
          : { dispatch: told.dispatch_id, applied: told.delivery_state === 'applied' };
      await take({ type: 'actuation', id: wants.id, event: { type: 'reported', answer }, ...known });
    }
  }
}

/** The last question: who is signed in at that page, and whether it may begin then. Unanswered it is asked again. */
async function check(parts: MovingParts, wants: Extract<ActuationEffect, { type: 'check' }>): Promise<void> {
  const { id, claimant, tab, command } = wants;
  const site = SITES.find((one) => one === command.provider);
  let now = await parts.accounts.signedIn(tab);
  for (let looked = 1; looked < CHECK_LOOKS && now === null; looked += 1) {
    await parts.pause(CHECK_LOOK_MS);
    now = await parts.accounts.signedIn(tab);
  }
  if (now === null) {
    // Nobody is there: the tab is not one of ours any more, and another one of the chat may be.
    const document = (await parts.state()).tabs[tab]?.document;
    if (document !== undefined) await parts.take({ type: 'no_receiver', tab, document });
    return;
  }
  if (site === undefined) return;
  await lookWhoIsThere(parts, command.session?.canonical_url ?? null);
  const ref = now.account === null ? now.why : await parts.registry.account(site, now.account);
  if (ref === null) return;
  const answer = await parts.dispatches.confirm(id, claimant, ref);
  if (answer === null) return;
  if (typeof answer === 'object') {
    const refused = { type: 'checked' as const, answer: 'refused' as const, reason: answer.objection, account: null };
    return void (await parts.take({ type: 'actuation', id, event: refused }));
  }
  const meant = command.account_ref !== null && now.account !== null;
  const account = meant ? await parts.accounts.mark(now.account ?? '') : null;
  await parts.take({ type: 'actuation', id, event: { type: 'checked', answer, account } });
}

/** What came of a press, as far as a page can say: the chat's own, or after it has left the chat any other of the site. */
async function prove(
  parts: MovingParts,
  { id, tab, command }: Extract<ActuationEffect, { type: 'prove' }>,
): Promise<void> {
  const conversation = command.session?.canonical_url ?? '';
  let done: boolean | null = null;
  for (let looked = 1; looked <= PROVE_LOOKS && done !== true; looked += 1) {
    if (looked > 1) await parts.pause(PROVE_LOOK_MS);
    done = await hasCome(parts, tab, command, conversation);
  }
  await parts.take({ type: 'actuation', id, event: { type: 'proved', done } });
}

async function hasCome(
  parts: MovingParts,
  tab: number,
  { operation, provider }: ActuationCommand,
  conversation: string,
): Promise<boolean | null> {
  if (operation !== 'session.archive') {
    const answer = await parts.askPage(tab, conversation, 'probe', null);
    const busy = answer?.ok && answer.value.page.conversation === conversation ? answer.value.state.busy : null;
    return busy === null ? null : !busy;
  }
  const { tabs } = await parts.state();
  const others = Object.keys(tabs).map(Number);
  for (const one of [tab, ...others.filter((other) => other !== tab && tabs[other]?.page.site === provider)]) {
    const answer = await parts.askPage(one, null, 'archived', { conversation });
    if (answer?.ok && answer.value !== null) return answer.value;
  }
  return null;
}

/** A tab that has gone meanwhile cannot be shown; what its page says of itself decides what is told. */
async function bringUp(tab: number): Promise<void> {
  const shown = await browser.tabs.update(tab, { active: true }).catch(() => undefined);
  const window = await browser.windows.get(shown?.windowId ?? browser.windows.WINDOW_ID_NONE).catch(() => null);
  if (window?.state !== 'minimized' || window.id === undefined) return;
  await browser.windows.update(window.id, { state: 'normal' }).catch(() => undefined);
}

/** In the window in which the person works on that. */
async function openTab(
  parts: MovingParts,
  { command }: Extract<ActuationEffect, { type: 'open' }>,
): Promise<number | null> {
  const { tabs } = await parts.state();
  const near = besideTab(tabs, command);
  const beside = near === null ? null : await browser.tabs.get(near).catch(() => null);
  const site = Object.entries(POLICIES).find(([name_]) => name_ === command.provider)?.[1];
  const url = command.session?.canonical_url || homeOf(command.space?.canonical_url ?? null, site?.origin ?? null);
  if (url === null) return null;
  try {
    const opened = await browser.tabs.create({
      url,
      active: true,
      ...(beside?.windowId === undefined ? {} : { windowId: beside.windowId, index: beside.index + 1 }),
    });
    return opened.id ?? null;
  } catch {
    return null; // no window is open in which it could be
  }
}

/** A Project's home, or the site's own first page. */
const homeOf = (space: string | null, origin: string | null): string | null =>
  space !== null && space !== '' ? `${space}/project` : origin === null ? null : `${origin}/`;

async function name(parts: MovingParts, wants: Extract<ActuationEffect, { type: 'name' }>): Promise<void> {
  const { id, tab, conversation, text } = wants;
  const known = await shown(parts, tab, conversation);
  const ref = known === undefined ? null : await parts.registry.session(known, wants.account?.digest);
  const generation = known === undefined ? null : await parts.registry.generation(known.site);
  const message = text === null ? null : await derivedId(conversation, 'user', text);
  await parts.take({ type: 'actuation', id, event: { type: 'named', ref, generation, message } });
}

/** The page has just become this chat and says so within a moment. */
async function shown(parts: MovingParts, tab: number, conversation: string): Promise<PageIdentity | undefined> {
  for (let look = 0; look < NAME_LOOKS; look += 1) {
    const page = (await parts.state()).tabs[tab]?.page;
    if (page?.conversation === conversation) return page;
    await parts.pause(NAME_LOOK_MS);
  }
  return undefined;
}

async function sessionOf(parts: MovingParts, conversation: string): Promise<string | null> {
  const page = Object.values((await parts.state()).tabs).find((open) => open.page.conversation === conversation)?.page;
  return page === undefined ? null : parts.registry.session(page);
}

async function handOver(parts: MovingParts, wants: HandoffEffect): Promise<void> {
  const { dispatches, take } = parts;
  switch (wants.type) {
    case 'prepare': {
      const answer = await dispatches.prepare(wants.transfer);
      await take({ type: 'handoff', transfer: wants.transfer.id, event: { type: 'prepared', answer } });
      return;
    }
    case 'deliver': {
      const elsewhere = await parts.wakes.handOver(wants.transfer);
      if (elsewhere !== null)
        return void (await take({ type: 'handoff', transfer: wants.transfer.id, event: elsewhere }));
      const answer = await dispatches.deliver(wants.transfer);
      await take({ type: 'handoff', transfer: wants.transfer.id, event: { type: 'delivered', answer } });
      return;
    }
    case 'observe': {
      const dispatch = await dispatches.observe(wants.dispatch);
      await take({ type: 'handoff', transfer: wants.transfer, event: { type: 'observed', dispatch } });
      return;
    }
    case 'verify': {
      const { transfer, tab, conversation, mark } = wants;
      const answer = await parts.askPage(tab, conversation, 'handoff.probe', { mark });
      const { found, messageId } = answer?.ok ? answer.value : { found: 'unknown' as const, messageId: null };
      const event = { type: 'verified' as const, conversation, found, message: messageId };
      await take({ type: 'handoff', transfer, event });
      return;
    }
    case 'read_summary': {
      const { transfer, tab, conversation } = wants;
      const answer = await parts.askPage(tab, conversation, 'turns', null);
      const { user, assistant } = answer?.ok ? answer.value : { user: null, assistant: null };
      const turn = user === null || assistant === null ? null : { user: user.text, answer: assistant.text };
      await take({ type: 'handoff', transfer, event: { type: 'summary', turn } });
      return;
    }
    case 'end': {
      const { transfer } = wants;
      await take({ type: 'handoff_ended', transfer: transfer.id, answer: await dispatches.end(transfer) });
      return;
    }
    case 'open_target':
      // A person asked where it is: what cannot be opened stays uncertain.
      await browser.tabs.create({ url: wants.url, active: true }).catch(() => undefined);
  }
}

/** The source's page need not be kept in memory: never closed, never the one that a person looks at or has written in. */
async function retire(parts: MovingParts, tab: number, conversation: string): Promise<void> {
  const { bindings } = await parts.state();
  if (Object.values(bindings).some((row) => row.tab === tab)) return;
  // Asked now: a draft may have been begun a moment ago, and goes with the page.
  const answer = await parts.askPage(tab, null, 'probe', null);
  if (!answer?.ok || answer.value.page.conversation !== conversation) return;
  const { busy, draft, card } = answer.value.state;
  if (busy !== false || draft !== false || card) return;
  const open = await browser.tabs.get(tab).catch(() => null);
  if (open === null || open.active) return;
  // Best effort: a browser that keeps it does no harm.
  await browser.tabs.discard(tab).catch(() => undefined);
}
