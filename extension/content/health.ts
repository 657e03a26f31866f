/**
 * Looks at the page's health and tells the worker of trouble; does the one safe step that the worker orders. It decides
 * nothing: what is wrong, and what would help, is in `machines/recovery`. It types nothing and sends nothing.
 */
import type { PageEvidence, RecoveryOrder, ServerEvidence } from '../health.ts';
import { TICK_MS, type TurnEffect } from '../machines/page/index.ts';
import { BACK_OFF_MS, compare, type Told, WATCHED_MAX_MS, worthTelling } from '../machines/recovery/index.ts';
import type { Answer, HudState, Reason } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { HealthLooks, Messages, SiteAdapter } from '../site/index.ts';
import { OUTCOME_REPEAT_MS } from './limits.ts';
import { createMeter } from './meter.ts';
import { reloadPage, watchLeaving } from './reload.ts';

export interface HealthParts {
  adapter: SiteAdapter;
  ended: AbortSignal;
  page(): PageIdentity | null;
  isDelivering(): boolean;
  tell(page: PageIdentity, evidence: PageEvidence): Promise<Answer<null>>;
  refused(page: PageIdentity): Promise<Answer<null>>;
  declined(page: PageIdentity, id: string, reason: Reason): Promise<Answer<null>>;
  pause(ms: number): Promise<void>;
}

/** What was watched of the conversation that is shown. */
interface Watched {
  conversation: string | null;
  text: string;
  loadedMs: number;
  stillMs: number;
  turnMs: number | null;
  actedMs: number | null;
  error: { kind: string; shownMs: number } | null;
  /** The answer as it stood when the server said that this is all of it. */
  confirmed: string | null;
  turnsSeen: number;
  known: Set<string>;
}

const unwatched = (conversation: string | null): Watched => ({
  conversation,
  text: '',
  loadedMs: 0,
  stillMs: 0,
  turnMs: null,
  actedMs: null,
  error: null,
  confirmed: null,
  turnsSeen: 0,
  known: new Set(),
});

export type Health = ReturnType<typeof createHealth>;

export function createHealth(parts: HealthParts) {
  const { adapter, ended } = parts;
  const looks = adapter.health;
  const meter = createMeter(ended);
  const done = new Set<string>();
  /** Agreed to, and not done when the moment came. */
  const declined = new Map<string, Reason>();
  let watched = unwatched(null);
  let lookedAt = performance.now();
  let told: Told | null = null;
  let refusals = 0;
  let saidTooMany = false;
  /** Refused before it was known whether this page is ours to speak for. */
  let untold = false;
  let wasHeld = false;

  if (looks) watchRefusals(looks, () => void refused(looks), ended);

  async function refused(site: HealthLooks): Promise<void> {
    site.hold(BACK_OFF_MS[0]);
    const page = parts.page();
    untold = page === null;
    if (page !== null) await parts.refused(page);
  }

  function evidence(site: HealthLooks, messages: Messages): PageEvidence {
    const { mounted } = messages;
    const draft = adapter.draft().found;
    const streaming = adapter.streaming().found;
    const failure = site.failure();
    const shownMs = failure !== null && watched.error?.kind === failure.kind ? watched.error.shownMs : 0;
    return {
      error: failure && { kind: failure.kind, retry: failure.retry !== null, shownMs },
      pending: streaming === true || mounted.at(-1)?.role === 'user',
      streaming,
      tool: adapter.toolRunning().found,
      card: adapter.cardWaiting(),
      draft: draft === null ? null : draft !== '' || adapter.attached(),
      delivering: parts.isDelivering(),
      stillMs: watched.stillMs,
      turnMs: watched.turnMs,
      loadedMs: watched.loadedMs,
      actedMs: watched.actedMs,
      confirmed: watched.confirmed !== null && watched.confirmed === watched.text,
      ...meter.read(),
    };
  }

  /** Time that was watched goes on; a text that has changed begins anew. */
  function watch(conversation: string | null, messages: Messages, ms: number): void {
    if (watched.conversation !== conversation) {
      watched = unwatched(conversation);
      told = null;
    }
    const { mounted, turnsSeen } = messages;
    const answer = mounted.at(-1)?.role === 'assistant' ? mounted.at(-1) : undefined;
    const text = answer ? `${answer.id}:${answer.text.length}` : `:${mounted.at(-1)?.id ?? ''}`;
    if (answer?.id != null) watched.known.add(answer.id);
    const changed = text !== watched.text;
    watched = {
      ...watched,
      text,
      loadedMs: watched.loadedMs + ms,
      stillMs: changed ? 0 : watched.stillMs + ms,
      turnMs: watched.turnMs === null ? null : watched.turnMs + ms,
      actedMs: watched.actedMs === null ? null : watched.actedMs + ms,
      error: watched.error && { ...watched.error, shownMs: watched.error.shownMs + ms },
      turnsSeen: Math.max(watched.turnsSeen, turnsSeen),
    };
  }

  function serverEvidence(messages: Messages, view: Parameters<typeof compare>[1]): ServerEvidence {
    const atEnd = messages.turnsSeen >= watched.turnsSeen;
    const server = compare({ mounted: messages.mounted, atEnd, known: watched.known }, view);
    if (server.view === 'same' && server.finished === 'finished') watched.confirmed = watched.text;
    return server;
  }

  async function examine(
    conversation: string,
  ): Promise<Answer<{ evidence: PageEvidence; server: ServerEvidence | null }>> {
    if (!looks) return refuse('page_unreadable');
    const view = looks.heldMs() > 0 ? null : (await adapter.snapshot(conversation, ended)).found;
    const messages = adapter.messages().found;
    if (messages === null || parts.page()?.conversation !== conversation) return refuse('conversation_changed');
    const server = view === null ? null : serverEvidence(messages, view);
    return { ok: true, value: { evidence: evidence(looks, messages), server } };
  }

  /** Why the ordered step is not taken at this very moment; null: it may be. */
  function objection(site: HealthLooks, order: RecoveryOrder): Reason | null {
    const draft = adapter.draft().found;
    const tool = adapter.toolRunning().found;
    if (site.heldMs() > 0) return 'rate_limited';
    if (draft === null || tool === null) return 'page_unreadable';
    if (draft !== '' || adapter.attached()) return 'user_typing';
    if (adapter.cardWaiting()) return 'card_waiting';
    if (tool || (!order.ignoreStreaming && adapter.streaming().found !== false)) return 'turn_in_progress';
    if (parts.isDelivering()) return 'wake_in_flight';
    const isGone = order.error !== null && site.failure()?.kind !== order.error;
    return isGone || watched.stillMs < order.stillMs ? 'nothing_to_recover' : null;
  }

  /** What a person has begun since the answer is not lost; and what was not done is said, so that it costs nothing. */
  async function reload(site: HealthLooks, order: RecoveryOrder, page: PageIdentity | null): Promise<void> {
    const reason = objection(site, order) ?? (reloadPage() ? null : 'leave_declined');
    if (reason !== null) await decline(order, reason, page);
  }

  async function decline(order: RecoveryOrder, reason: Reason, page: PageIdentity | null): Promise<void> {
    declined.set(order.id, reason);
    while (page !== null && !ended.aborted) {
      const heard = await parts.declined(page, order.id, reason);
      if (heard.ok || (heard.reason !== 'worker_unavailable' && heard.reason !== 'storage_unavailable')) return;
      await parts.pause(OUTCOME_REPEAT_MS);
    }
  }

  function recover(order: RecoveryOrder): Answer<null> {
    if (!looks) return refuse('page_unreadable');
    const before = declined.get(order.id);
    if (before !== undefined) return refuse(before);
    if (done.has(order.id)) return { ok: true, value: null };
    const reason = objection(looks, order);
    if (reason !== null) return refuse(reason);
    if (order.act === 'retry') {
      const retry = looks.failure()?.retry ?? null;
      if (retry === null) return refuse('nothing_to_recover');
      done.add(order.id);
      watched.actedMs = 0;
      adapter.press(retry);
    }
    if (order.act === 'reload') {
      done.add(order.id);
      // After the answer is on its way.
      const page = parts.page();
      setTimeout(() => void reload(looks, order, page), 0);
    }
    // The browser may load it anew from now on; whether the page then goes is seen from here.
    if (order.act === 'tab') {
      const page = parts.page();
      watchLeaving(() => void decline(order, 'leave_declined', page), ended);
    }
    return { ok: true, value: null };
  }

  return {
    mutated: meter.mutated,
    isHeld: () => looks !== undefined && looks.heldMs() > 0,
    /** The messages as they are mounted now; called at every look at the page. */
    seen(conversation: string | null, messages: Messages): void {
      const now = performance.now();
      const ms = now - lookedAt;
      lookedAt = now;
      // A page that slept has watched nothing.
      const counted = Math.min(ms, WATCHED_MAX_MS);
      watch(conversation, messages, counted);
      meter.look(counted, Math.max(0, ms - TICK_MS));
    },
    turn(effect: Extract<TurnEffect, { type: 'accepted' | 'ended' }>): void {
      if (effect.type === 'accepted') {
        watched = { ...watched, turnMs: 0, confirmed: null, stillMs: 0 };
        return;
      }
      const messages = adapter.messages().found;
      if (!effect.server || effect.assistant === null || effect.user === null || messages === null) return;
      const latestUser = { role: 'user', ...effect.user } as const;
      const latestAssistant = { role: 'assistant', ...effect.assistant } as const;
      serverEvidence(messages, {
        latestUser,
        latestAssistant,
        currentRole: 'assistant',
        finished: 'finished',
        updatedAtMs: null,
      });
    },
    /** A look at the page's health; tells the worker of trouble, and once that it is over. */
    async look(): Promise<void> {
      const page = parts.page();
      const messages = adapter.messages().found;
      if (!looks || page === null || page.conversation === null || messages === null) return;
      const tooMany = looks.saysTooMany();
      if (untold || looks.refusals() !== refusals || (tooMany && !saidTooMany)) await refused(looks);
      refusals = looks.refusals();
      saidTooMany = tooMany;
      const kind = looks.failure()?.kind ?? null;
      if (kind !== (watched.error?.kind ?? null)) watched.error = kind === null ? null : { kind, shownMs: 0 };
      const held = looks.heldMs() > 0;
      const given = evidence(looks, messages);
      const next = worthTelling(wasHeld && !held ? null : told, given, performance.now());
      wasHeld = held;
      if (next === null) return;
      const answer = await parts.tell(page, given);
      if (answer.ok) told = next;
    },
    hud({ rateLimitedUntil }: Pick<HudState, 'rateLimitedUntil'>): void {
      if (rateLimitedUntil === null || !looks) return;
      // The worker's clock may be put forward or back: no pause is longer than the longest.
      looks.hold(Math.min(Math.max(0, rateLimitedUntil - Date.now()), BACK_OFF_MS[2]));
    },
    examine,
    recover,
  };
}

const refuse = (reason: Reason): Answer<never> => ({ ok: false, reason });

/** Requests of this page that its site has answered with 429, whoever made them; also those from before we came. */
function watchRefusals(looks: HealthLooks, refused: () => void, ended: AbortSignal): void {
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as PerformanceResourceTiming[];
    if (entries.some(({ name, responseStatus }) => responseStatus === TOO_MANY && looks.isOwn(name))) refused();
  });
  observer.observe({ type: 'resource', buffered: true });
  ended.addEventListener('abort', () => observer.disconnect(), { once: true });
}
const TOO_MANY = 429;
