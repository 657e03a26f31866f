/**
 * The page script of every chat site. First of all it asks whether this build is the one that the native host names;
 * until that is answered it touches nothing. Everything that it starts ends with `ended`.
 */
import { isBehind } from '../machines/bridge/index.ts';
import { TICK_MS } from '../machines/page/index.ts';
import type { SeenTurn } from '../machines/pressure/index.ts';
import { HEALTH_LOOK_MS } from '../machines/recovery/index.ts';
import type { Answer, Delivery, HudState, PageState, Standing } from '../messages.ts';
import { type PageIdentity, samePlace } from '../page.ts';
import { POLICIES } from '../policy.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { PageAsk, Surface, SurfaceParts } from '../surface.ts';
import { VERSION } from '../version.ts';
import { createAccountLook } from './account.ts';
import { createBirth } from './birth.ts';
import { startBridge } from './bridge/index.ts';
import { createCards } from './cards.ts';
import { createClock } from './clock.ts';
import { deliver, probe } from './deliver.ts';
import { createDeliveries } from './deliveries.ts';
import { createElsewhere } from './elsewhere.ts';
import { createHealth } from './health.ts';
import { createHistory } from './history.ts';
import { HERE_AGAIN_MS, HERE_PAUSE_MS, HERE_TRIES, HISTORY_LOOK_MS, PLACE_LOOK_MS } from './limits.ts';
import { watchPage, watchReturn, watchSubmits, watchTyping } from './listen.ts';
import { findMark } from './mark.ts';
import { createMembership } from './membership.ts';
import { pageState } from './page-state.ts';
import { createPresses } from './press.ts';
import { createSender } from './sender.ts';
import { createSending } from './sending.ts';
import { createSettled } from './settled.ts';
import { createTalk } from './talk.ts';
import { createWatcher } from './watcher.ts';

/** What a page gives to any site's adapter; each takes of it what it needs. */
export interface PageParts {
  document: Document;
  address(): URL;
  ask(path: string, init?: RequestInit): Promise<Response>;
  now(): number;
  pause(ms: number): Promise<void>;
}

/** Puts a site's adapter into its page; `surfaceOf` makes what is shown of us there. */
export function startSite(
  context: { onInvalidated(end: () => void): unknown },
  adapterOf: (parts: PageParts) => SiteAdapter,
  surfaceOf: (parts: SurfaceParts) => Surface,
): void {
  const ended = new AbortController();
  context.onInvalidated(() => ended.abort());
  const parts: PageParts = {
    document,
    address: () => new URL(location.href),
    ask: (path, init) => fetch(path, init),
    now: () => Date.now(),
    pause: createClock(ended.signal).pause,
  };
  startPage(adapterOf(parts), surfaceOf, ended.signal);
}

function startPage(site: SiteAdapter, surfaceOf: (parts: SurfaceParts) => Surface, ended: AbortSignal): void {
  const clock = createClock(ended);
  const writes = watchTyping(() => site.composer().found, clock.now, ended);
  const adapter: SiteAdapter = { ...site, attached: () => site.attached() || writes() };
  const talk = createTalk(crypto.randomUUID(), ended);
  let told: { page: PageIdentity; state: PageState } | null = null;
  let standing: 'unknown' | 'active' | 'standby' = 'unknown';
  let surface: Surface | null = null;
  let shownRevision = -1;

  let hudShown: HudState | null = null;
  const birth = createBirth(clock.now);

  const membership = createMembership({ adapter, ended, isHeld: () => health.isHeld() });
  const page = (): PageIdentity | null => membership.completed(birth.known(adapter.identity()));
  const state = () => pageState(adapter, sending.text());
  const here = (): PageIdentity | null => (standing === 'active' ? page() : null);

  const watcher = createWatcher({
    adapter,
    clock,
    ended,
    page: here,
    seen: (conversation, messages) => {
      health.seen(conversation, messages);
      elsewhere.seen(conversation, messages);
    },
    report: async (from, effect) => {
      if (effect.type === 'unread') return void (await talk.ask(from, 'bridge.unnamed', null));
      health.turn(effect);
      if (effect.type === 'accepted') {
        const connector = adapter.connector().found;
        await talk.ask(from, 'turn.accepted', { user: effect.user, submitted: effect.submitted, connector });
      } else {
        await talk.ask(from, 'turn.ended', { user: effect.user, assistant: effect.assistant, server: effect.server });
      }
    },
  });
  const submitted = (by: 'person' | 'extension') => {
    birth.sent();
    watcher.submitted(by);
  };
  const account = createAccountLook({ adapter, clock, ended });
  const elsewhere = createElsewhere({ adapter, ended });
  const send = createSender({
    adapter,
    clock,
    ended,
    page: here,
    ask: talk.ask,
    pressing: () => submitted('extension'),
    accountObjection: account.objection,
    wentOnElsewhere: elsewhere.isAhead,
  });
  const sending = createSending();
  const cards = createCards(adapter);
  const deliveries = createDeliveries({
    clock,
    ended,
    run: async (conversation, delivery) =>
      isBehind(adapter.messages().found, delivery)
        ? { state: 'blocked', reason: 'conversation_changed' }
        : sending.during(delivery.text, send(conversation, delivery)),
    tell: async (id, attempt, outcome) => {
      const from = page();
      return from === null
        ? { ok: false, reason: 'worker_unavailable' }
        : talk.ask(from, 'delivery.done', { id, attempt, outcome });
    },
    behind: elsewhere.renew,
  });

  const health = createHealth({
    adapter,
    ended,
    page: here,
    isDelivering: deliveries.isRunning,
    tell: (from, evidence) => talk.ask(from, 'health', { evidence }),
    refused: (from) => talk.ask(from, 'site.refused', null),
    declined: (from, id, reason) => talk.ask(from, 'recover.declined', { id, reason }),
    pause: clock.pause,
  });

  const settled = createSettled({ adapter, clock, ended, page: here, latest: watcher.latest });
  const presses = createPresses({ adapter, clock, ended, page: here, account, isDelivering: deliveries.isRunning });
  const isShown = (conversation: string | null) => conversation !== null && here()?.conversation === conversation;
  const isMeant = ({ opens }: Delivery, conversation: string | null) =>
    conversation === null ? opens !== undefined && here()?.conversation === null : isShown(conversation);
  talk.listen({
    deliver: (delivery, conversation) =>
      isMeant(delivery, conversation)
        ? deliveries.take(conversation, delivery)
        : { ok: false, reason: 'conversation_changed' },
    'delivery.probe': async ({ text, baseline }, conversation) =>
      conversation !== null && isShown(conversation)
        ? { ok: true, value: await probe({ adapter, ended }, conversation, { text, baseline }) }
        : { ok: false, reason: 'conversation_changed' },
    probe: () => withPage((from) => ({ page: from, version: VERSION, document: talk.document, state: state() })),
    turns: (_, conversation) =>
      isShown(conversation)
        ? withPage((from) => ({ page: from, ...watcher.latest() }))
        : { ok: false, reason: 'conversation_changed' },
    'health.examine': (_, conversation) =>
      conversation !== null && isShown(conversation)
        ? health.examine(conversation)
        : { ok: false, reason: 'conversation_changed' },
    'handoff.probe': async ({ mark }, conversation) =>
      conversation !== null && isShown(conversation)
        ? { ok: true, value: await findMark(adapter, conversation, mark, ended) }
        : { ok: false, reason: 'conversation_changed' },
    ...presses,
    ...settled,
    recover: (order, conversation) =>
      isShown(conversation) ? health.recover(order) : { ok: false, reason: 'conversation_changed' },
    'hud.changed': (hud) => {
      if (standing === 'active') show(hud);
      return { ok: true, value: null };
    },
    standby: () => {
      stand({ owner: 'standby', by: null });
      return { ok: true, value: null };
    },
  });

  function withPage<T>(make: (from: PageIdentity) => T): Answer<T> {
    const from = page();
    return from === null ? { ok: false, reason: 'page_unreadable' } : { ok: true, value: make(from) };
  }

  function show(hud: HudState): void {
    if (hud.revision < shownRevision) return;
    health.hud(hud);
    shownRevision = hud.revision;
    hudShown = hud;
    surface ??= surfaceOf({ adapter, ask, pause: clock.pause, ended });
    surface.show(hud);
  }

  const ask: PageAsk = async (kind, body) => {
    const from = here();
    return from === null ? { ok: false, reason: 'page_unreadable' } : talk.ask(from, kind, body);
  };

  function stand(answer: Standing): void {
    standing = answer.owner;
    if (answer.owner === 'active') {
      show(answer.hud);
      return;
    }
    surface?.remove();
    surface = null;
    shownRevision = -1;
  }

  /** Says where this page is. Null: nobody answered. */
  async function sayHere(from: PageIdentity): Promise<void> {
    for (let tried = 1; tried <= HERE_TRIES && !ended.aborted; tried += 1) {
      const given = { page: from, state: state() };
      const answer = await talk.ask(from, 'here', { state: given.state });
      if (answer.ok) {
        told = given;
        return stand(answer.value);
      }
      if (answer.reason !== 'worker_unavailable') return;
      await clock.pause(HERE_PAUSE_MS * tried);
    }
  }

  let lastHere = Number.NEGATIVE_INFINITY;
  async function lookAtPlace(): Promise<void> {
    const now = birth.moved(told?.page ?? null, page());
    if (now === null) {
      surface?.remove();
      surface = null;
      told = null;
      return;
    }
    if (standing === 'active') void membership.learn(now);
    const moved = told === null || !samePlace(told.page, now) || projectKey(told.page) !== projectKey(now);
    const again = clock.now() - lastHere > HERE_AGAIN_MS;
    if ((moved && (standing !== 'standby' || again)) || (standing !== 'active' && again)) {
      lastHere = clock.now();
      shownRevision = -1;
      await sayHere(now);
    }
    if (standing !== 'active' || told === null) return;
    surface?.place();
    const given = state();
    if (JSON.stringify(given) !== JSON.stringify(told.state)) {
      const answer = await talk.ask(now, 'state', { state: given });
      if (answer.ok) told = { page: now, state: given };
    }
  }

  if (POLICIES[adapter.site].judges) {
    const tell = (from: PageIdentity, turns: readonly SeenTurn[], turnsNamed: number) =>
      talk.ask(from, 'history', { turns, turnsNamed });
    const history = createHistory({ adapter, page: here, tell });
    clock.every(HISTORY_LOOK_MS, history.look);
  }
  clock.every(PLACE_LOOK_MS, lookAtPlace);
  clock.every(HEALTH_LOOK_MS, health.look);
  clock.every(TICK_MS, look);
  async function look(): Promise<void> {
    if (standing !== 'active') return;
    cards.look();
    await watcher.look();
  }
  watchPage(look, health.mutated, ended);
  watchReturn(() => {
    told = null;
  }, ended);
  watchSubmits(adapter, () => submitted('person'), sending.isOn, ended);
  if (POLICIES[adapter.site].bridge) {
    startBridge({
      adapter,
      clock,
      ended,
      page: here,
      hud: () => hudShown,
      ask: talk.ask,
      ours: sending.text,
      toast: (text) => surface?.toast(text),
      cleared: () => {
        if (told !== null) told = { ...told, state: { ...told.state, draft: null } };
        void lookAtPlace();
      },
      send: (text, waitMs, claim) => {
        const parts = { adapter, clock, ended, page: here, claim, pressing: () => submitted('extension') };
        return sending.during(text, deliver(parts, null, { text, waitMs, connector: null }));
      },
    });
  }
}

const projectKey = (page: PageIdentity): string => (typeof page.project === 'string' ? page.project : page.project.key);
