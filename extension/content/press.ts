/** Presses one control of the site for the delivery service: once for each id, and says what was seen of it. */
import type { Answer, LeaveLook, PressOrder, Reason, SignedInHere } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { AccountLook } from './account.ts';
import type { Clock } from './clock.ts';
import { leaveLook } from './leave.ts';
import { ARCHIVED_LOOK_MS, OUTCOMES_KEPT, PRESS_LOOK_MS, PRESS_MS } from './limits.ts';

type Pressed = { pressed: boolean; done: boolean; reason: Reason | null };

const nothing = (reason: Reason): Pressed => ({ pressed: false, done: false, reason });

export interface PressParts {
  adapter: SiteAdapter;
  clock: Clock;
  ended: AbortSignal;
  page(): PageIdentity | null;
  account: AccountLook;
  /** A message of ours is on its way into this page. */
  isDelivering(): boolean;
}

export function createPresses(parts: PressParts) {
  const { adapter } = parts;
  const known = new Map<string, Promise<Pressed>>();

  async function stop(order: PressOrder, conversation: string): Promise<Pressed> {
    const { clock, ended } = parts;
    const another = await parts.account.objection(order.account);
    if (another !== null) return nothing(another);
    // A message without its answer: that is about to be written, and what is not shown yet has not ended.
    const due = clock.now() + PRESS_MS;
    while (isUnanswered() && clock.now() < due && !ended.aborted) await clock.pause(PRESS_LOOK_MS);
    if (parts.page()?.conversation !== conversation) return nothing('conversation_changed');
    const control = adapter.stop().found;
    if (control === null) {
      // Nothing is written: what was to be stopped has ended by itself.
      if (adapter.streaming().found === false && !isUnanswered()) return { pressed: false, done: true, reason: null };
      return nothing('page_unreadable');
    }
    adapter.press(control);
    const until = clock.now() + PRESS_MS;
    while (clock.now() < until && !ended.aborted) {
      if (adapter.streaming().found === false) return { pressed: true, done: true, reason: null };
      await clock.pause(PRESS_LOOK_MS);
    }
    return { pressed: true, done: false, reason: 'turn_in_progress' };
  }

  const isUnanswered = (): boolean =>
    adapter.streaming().found === false && adapter.messages().found?.mounted.at(-1)?.role === 'user';

  /** Why the chat may not leave everybody's sight now: a turn that runs, a draft, a card, a message on its way. */
  function unquiet(conversation: string): Reason | null {
    if (parts.ended.aborted) return 'extension_reloaded';
    if (parts.page()?.conversation !== conversation) return 'conversation_changed';
    if (parts.isDelivering()) return 'wake_in_flight';
    if (adapter.cardWaiting()) return 'card_waiting';
    const streaming = adapter.streaming().found;
    if (streaming !== false) return streaming === null ? 'page_unreadable' : 'turn_in_progress';
    const draft = adapter.draft().found;
    if (draft === null) return 'composer_missing';
    return draft !== '' || adapter.attached() ? 'user_typing' : null;
  }

  /** Only what the server can be asked about afterwards is archived, and only a turn that the server calls finished is over. */
  async function archive(order: PressOrder, conversation: string): Promise<Pressed> {
    const { clock, ended } = parts;
    if (adapter.archive === undefined) return nothing('not_available_yet');
    const another = await parts.account.objection(order.account);
    if (another !== null) return nothing(another);
    const already = await adapter.archive.done(conversation, ended);
    if (already === null) return nothing('server_unknown');
    if (already) return { pressed: false, done: true, reason: null };
    const server = (await adapter.snapshot(conversation, ended)).found;
    if (server?.finished === 'unfinished' || server?.currentRole === 'user') return nothing('turn_in_progress');
    const before = unquiet(conversation);
    if (before !== null) return nothing(before);
    const entry = await adapter.archive.entry(ended);
    if (entry.found === null) return nothing('page_unreadable');
    // While the menu opened, a person may have begun to write, or a turn to run.
    const since = unquiet(conversation);
    if (since !== null) {
      adapter.archive.dismiss();
      return nothing(since);
    }
    adapter.press(entry.found);
    const until = clock.now() + PRESS_MS;
    while (clock.now() < until && !ended.aborted) {
      await clock.pause(ARCHIVED_LOOK_MS);
      if (await adapter.archive.done(conversation, ended)) return { pressed: true, done: true, reason: null };
    }
    // It is looked for on: the server of a busy site says late what it has done.
    return { pressed: true, done: false, reason: 'server_unknown' };
  }

  return {
    async press(order: PressOrder, conversation: string | null): Promise<Answer<Pressed>> {
      if (conversation === null || parts.page()?.conversation !== conversation)
        return { ok: false, reason: 'conversation_changed' };
      const { id, what } = order;
      const running = known.get(id) ?? (what === 'stop' ? stop(order, conversation) : archive(order, conversation));
      known.set(id, running);
      for (const old of [...known.keys()].slice(0, Math.max(0, known.size - OUTCOMES_KEPT))) known.delete(old);
      return { ok: true, value: await running };
    },
    async archived({ conversation }: { conversation: string }): Promise<Answer<boolean | null>> {
      return { ok: true, value: (await parts.adapter.archive?.done(conversation, parts.ended)) ?? null };
    },
    leave: (): Answer<LeaveLook> => leaveLook(parts),
    async account({ salt }: { salt: string }): Promise<Answer<SignedInHere>> {
      return { ok: true, value: await parts.account.signedIn(salt) };
    },
  };
}
