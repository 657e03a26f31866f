/**
 * The service worker. It may be stopped at any moment: what it knows is in storage, and everything here is put together
 * anew from there. Listeners are set in the first turn of the script, so that the event that woke it is not lost.
 */
import { browser } from 'wxt/browser';
import { extensionOrigin } from '../../contract/extension/identity.ts';
import { languageOf } from '../../look/words/index.ts';
import { isBackingOff } from '../machines/recovery/index.ts';
import { conversationRows, type From, fnv1a, hudOf, type State } from '../machines/worker/index.ts';
import { CHAT_SITES } from '../manifest.ts';
import { type FromPage, PROTOCOL, type Turn } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { CONTROL_PORT, type PanelChanged } from '../panel.ts';
import { isOn, POLICIES } from '../policy.ts';
import { VERSION } from '../version.ts';
import { createAdvice } from './advice.ts';
import { showBadge } from './badge.ts';
import { createBridgeDoor, wantedBy } from './bridge.ts';
import { createConsents } from './consent.ts';
import { createControl } from './control.ts';
import { askPage, perform } from './effects.ts';
import { createHuds } from './huds.ts';
import { journalTurn } from './journal.ts';
import { decide } from './judging.ts';
import { ALARM_MINUTES, JOURNAL_WAITING_MAX, STANDING_MS } from './limits.ts';
import { createLoop } from './loop.ts';
import { createMovingDoor } from './moving-door.ts';
import { createNaming } from './naming.ts';
import { createNativePort } from './native.ts';
import { answerPage, isFromPage } from './pages.ts';
import { answerPanel, isFromPanel, isSeen } from './panels.ts';
import { createRuntimeDoor } from './runtime.ts';
import { createSessions } from './sessions.ts';
import { isAllowed, isLoading, isSafe, keepSites, tabsOf } from './sites.ts';
import { createEventStream } from './stream.ts';
import { sweepTabs } from './sweep.ts';
import { createTurns } from './turns.ts';
import { createWakes } from './wakes.ts';

const ALARM = 'herdr';
const nowMs = () => Date.now();
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const language = () => languageOf(browser.i18n.getUILanguage());

export function startWorker(): void {
  const local = browser.storage.local;
  const session = browser.storage.session;

  const loop = createLoop({
    local,
    session,
    nowMs,
    language,
    perform: (effect) =>
      void perform(
        {
          version: VERSION,
          runtime,
          advice,
          turns: lastTurn,
          bridge,
          wakes,
          pause,
          isWanted,
          take: loop.take,
          state: loop.state,
          ...moving,
          registry,
          accounts,
          askPage: (tab, conversation, kind, body) => askPage(VERSION, tab, conversation, kind, body),
          documentOf,
          renewStream: stream.renew,
        },
        effect,
      ),
    changed,
  });
  const native = createNativePort((status) => void loop.take({ type: 'link', status }));
  const runtime = createRuntimeDoor(native, (reached) => {
    if (!reached) void loop.take({ type: 'link', status: 'offline' });
  });
  const advice = createAdvice({ native, runtime });
  const lastTurn = (tab: number, conversation: string) => askPage(VERSION, tab, conversation, 'turns', null);
  const bridge = createBridgeDoor(native, nowMs);
  const isWanted = wantedBy(loop.state, isAllowed);
  const { registry, accounts } = createNaming({
    ...{ runtime, local, version: VERSION, nowMs, random, state: loop.state },
    askPage: (tab, kind, body) => askPage(VERSION, tab, null, kind, body),
  });
  const moving = createMovingDoor({ native, registry, ...loop, version: VERSION, claimant: hexOf(random(8)) });
  const wakes = createWakes({ registry, runtime, state: loop.state });
  const huds = createHuds((tab, state) => askPage(VERSION, tab, null, 'hud.changed', state));
  const stream = createEventStream({
    native,
    nowMs,
    lastEventId: async () => {
      const { boot, position } = (await loop.state()).stream;
      return boot === null ? null : `${boot}:${position}`;
    },
    take: (event) => {
      if (event.type === 'hello') {
        void greeted(event.boot);
        control.greeted();
      }
      moving.heard(event);
      void loop.take(event);
    },
    heard: (event) => control.heard(event),
  });
  const control = createControl(native);
  browser.runtime.onConnect.addListener((port) => {
    if (port.name !== CONTROL_PORT || port.sender?.id !== browser.runtime.id || !isOwnPage(port.sender.url)) return;
    control.attach(port);
    stream.ensure();
  });
  const turns = createTurns({
    ...{ registry, nowMs, pause },
    journal: async (page, role, turn) => {
      const { bindings } = await loop.state();
      const parts = { runtime, nowMs, pause, missed: turns.missed, canonical };
      return journalTurn(parts, Object.values(bindings), page, role, turn);
    },
    waitingMax: JOURNAL_WAITING_MAX,
    latest: async (conversation) => {
      const { tabs, bindings } = await loop.state();
      const [tab, open] = Object.entries(tabs).find(([, one]) => one.page.conversation === conversation) ?? [];
      if (open === undefined || conversationRows(Object.values(bindings), open.page).length === 0) return null;
      const answer = await askPage(VERSION, Number(tab), conversation, 'answer', { of: null });
      return answer?.ok ? answer.value : null;
    },
  });
  const sessions = createSessions({ registry, runtime, ...loop });
  let boot: string | undefined;
  /** A new runtime knows nothing of what the one before it was told. */
  async function greeted(newBoot: string): Promise<void> {
    if (boot !== undefined && boot !== newBoot) registry.forget();
    boot = newBoot;
    await turns.retry();
    await sessions.learnAll();
  }

  function canonical(was: string, continuityId: string): void {
    void loop.take({ type: 'canonical', was, continuityId });
  }

  async function documentOf(tab: number): Promise<string | null> {
    return (await loop.state()).tabs[tab]?.document ?? null;
  }

  function changed(state: State, before: State): void {
    if (before.config.sites !== state.config.sites) syncSites();
    wakes.changed(state, before);
    if (before.link !== state.link || before.bindings !== state.bindings) void showBadge(state);
    const fellSilent = state.link === 'standby' && before.link !== 'standby';
    for (const [id, { page }] of Object.entries(state.tabs)) {
      const tab = Number(id);
      const wentOff = isOn(page.site, before.config.sites) && !isOn(page.site, state.config.sites);
      if (fellSilent || wentOff) void askPage(VERSION, tab, null, 'standby', { by: null });
      if (state.link === 'standby') continue;
      huds.show(tab, hudOf(state, page, tab, state.config.language ?? language()));
    }
    if (!isSeen(before, state)) return;
    const message: PanelChanged = { herdr: PROTOCOL, to: 'panel' };
    // No page of ours may be open; then nobody has to be told.
    browser.runtime.sendMessage(message).catch(() => undefined);
  }

  const pageParts = {
    version: VERSION,
    take: loop.take,
    state: loop.state,
    language,
    runtime,
    bridge,
    nowMs,
    id: () => crypto.randomUUID(),
    decide: async ({ tab, page }: From) => {
      const { language: chosen } = (await loop.state()).config;
      return decide({ advice, turns: lastTurn }, { tab, conversation: page.conversation }, chosen ?? language());
    },
    isLoading,
    leave: async (id: string) => (await moving.leave(id)) ?? wakes.leave(id),
    openOptions: () => browser.runtime.openOptionsPage(),
    standing: () => Promise.race([native.connect().then(() => undefined), pause(STANDING_MS)]),
    turn: (page: PageIdentity, given: { user: Turn | null; assistant: Turn | null; ended: boolean }) => {
      moving.turn(page, given);
      void turns.take(page, given);
    },
    arrived: (page: PageIdentity) => {
      stream.ensure();
      if (POLICIES[page.site].bridge) void bridge.catalogue();
      void sessions.learn(page).then(() => turns.fillIn(page));
    },
  };
  const setup = {
    ...{ version: VERSION, extensionId: browser.runtime.id, state: loop.state, take: loop.take, nowMs },
    id: () => crypto.randomUUID(),
    host: native.connect,
    fresh: runtime.fresh,
    listen: () => stream.ensure(),
    access: () => browser.permissions.contains({ origins: [...CHAT_SITES] }),
    pages: async () => Promise.all((await tabsOf(CHAT_SITES)).map(versionIn)),
  };
  const panelParts = {
    setup,
    control,
    consent: createConsents({ endpoint: registry.endpoint, runtime }),
    take: loop.take,
    state: loop.state,
    language,
    continuityId: () => `hc:${nowMs().toString(36)}:${hexOf(random(8))}`,
  };

  browser.runtime.onMessage.addListener((message: unknown, sender, respond) => {
    const answer = answerTo(message, sender);
    if (answer === null) return undefined;
    void answer.catch(failed).then(respond);
    return true;
  });

  function answerTo(
    message: unknown,
    sender: {
      id?: string | undefined;
      tab?: { id?: number | undefined; url?: string | undefined } | undefined;
      url?: string | undefined;
    },
  ): Promise<unknown> | null {
    if (sender.id !== browser.runtime.id) return null;
    if (isFromPanel(message)) return sender.tab && !isOwnPage(sender.url) ? null : answerPanel(panelParts, message);
    const tab = sender.tab?.id;
    if (tab === undefined || !isFromPage(message)) return null;
    return answerPage(pageParts, message as FromPage, { tab, url: sender.url ?? '', shown: sender.tab?.url ?? '' });
  }

  const tabGone = (tab: number) => {
    huds.forget(tab);
    void loop.take({ type: 'tab_gone', tab });
  };
  browser.tabs.onRemoved.addListener((tab) => tabGone(tab));
  // A tab that the browser has unloaded to save memory goes on under another number.
  browser.tabs.onReplaced.addListener((_now, before) => tabGone(before));

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name !== ALARM) return;
    stream.ensure();
    void loop.take({ type: 'tick' });
    void sessions.learnMissing();
    void sweep();
  });

  const versionIn = async (tab: number) => {
    const answer = await askPage(VERSION, tab, null, 'probe', null);
    return answer?.ok ? answer.value.version : null;
  };
  const syncSites = keepSites({
    switchedOn: async () => (await loop.state()).config.sites,
    answers: async (tab) => (await versionIn(tab)) === VERSION,
    failed,
  });

  let sweeping: Promise<unknown> = Promise.resolve();
  /** One after the other: two at once would reload a tab twice. */
  function sweep(anew = false): Promise<unknown> {
    sweeping = sweeping.then(() => sweepTabs(sweepParts, anew)).catch(failed);
    return sweeping;
  }
  const sweepParts = {
    version: VERSION,
    local,
    tabs: () => tabsOf(CHAT_SITES),
    versionIn,
    // A reload asks the site, too: while it refuses, the old page script stays.
    isSafe: async (tab: number) => !isBackingOff((await loop.state()).recovery, 'chatgpt', nowMs()) && isSafe(tab),
    reload: (tab: number) => browser.tabs.reload(tab),
  };

  browser.runtime.onInstalled.addListener(({ reason }) => {
    if (reason === 'install' || reason === 'update') void sweep(true);
    if (reason === 'install') void browser.tabs.create({ url: `${extensionOrigin(browser.runtime.id)}first-run.html` });
  });
  browser.sidePanel.setPanelBehavior({ openPanelOnActionClick: true }).catch(failed);
  void browser.alarms.create(ALARM, { periodInMinutes: ALARM_MINUTES });
  stream.ensure();
  syncSites();
  void loop.take({ type: 'started' });
}

const isOwnPage = (url: string | undefined): boolean => url?.startsWith(extensionOrigin(browser.runtime.id)) ?? false;
const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function failed(error: unknown): { ok: false; reason: 'unknown_message' } {
  console.error('herdr-mcp: a message could not be answered', fnv1a(String(error)), error);
  return { ok: false, reason: 'unknown_message' };
}
