/**
 * The Side Panel: whether the workstation can be reached, this tab's page, and what happens in every workspace, live. What
 * a page is bound to, the pane that was chosen, and what has the focus are three things; none of them moves another.
 */
import { batch, type Signal, signal } from '@preact/signals';
import { render } from 'preact';
import { browser } from 'wxt/browser';
import { type Language, languageOf, say } from '../../look/words/index.ts';
import type { PanelState } from '../panel.ts';
import { askWorker, onPanelChanged } from '../panel-client.ts';
import { Devices } from './devices.tsx';
import { Counted, Head, Standing } from './head.tsx';
import { createKeep, type Keep } from './keep.ts';
import { CLOCK_MS } from './limits.ts';
import { createLive, type Live } from './live.ts';
import { createLookedAt, type LookedAt } from './looked-at.ts';
import { LostPin } from './lost.tsx';
import { PageCard } from './page-card.tsx';
import { Elsewhere, Hidden, Retired } from './rows.tsx';
import { type Ui, UiContext, wordsOf } from './ui.ts';
import { Workspaces } from './workspaces.tsx';
import './panel.css';

const shown = signal<PanelState | null>(null);
const trouble = signal<string | null>(null);
const tab = signal<number | null>(null);
const clock: Signal<number> = signal(Date.now());

let asking = false;
let again = false;
/** One question at a time: what changes meanwhile is asked once more afterwards. */
async function refresh(): Promise<void> {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  const [active] = await browser.tabs.query({ active: true, currentWindow: true });
  const about = given('tab') ?? active?.id ?? null;
  const answer = await askWorker('panel.state', { tab: about });
  // What is pressed is about the page that is shown: the tab changes together with its state.
  batch(() => {
    tab.value = about;
    if (!answer.ok) trouble.value = answer.reason;
    // An equal state draws nothing anew.
    else if (JSON.stringify(answer.value) !== JSON.stringify(shown.value)) shown.value = answer.value;
  });
  asking = false;
  if (!again) return;
  again = false;
  await refresh();
}

/** A panel that is opened as a page of its own is told in its address which tab it is about. */
function given(name: string): number | null {
  const value = Number(new URLSearchParams(location.search).get(name) ?? Number.NaN);
  return Number.isInteger(value) ? value : null;
}

async function bind(workspace: string): Promise<void> {
  if (tab.value === null) return;
  const answer = await askWorker('panel.bind', { tab: tab.value, workspace });
  trouble.value = answer.ok ? null : answer.reason;
  await refresh();
}

async function unbind(binding: string): Promise<void> {
  const answer = await askWorker('panel.unbind', { binding });
  trouble.value = answer.ok ? null : answer.reason;
  await refresh();
}

/** What is seen before the worker has said anything. */
const UNKNOWN: PanelState = {
  language: 'en',
  runtime: 'unknown',
  herdr: null,
  page: null,
  workspaces: [],
  hidden: [],
  handoff: null,
  elsewhere: [],
  retired: [],
  stale: {},
  config: {
    projectPermission: false,
    progressTickSec: 0,
    progressFallbackSec: 0,
    continueMessage: null,
    settledTemplate: null,
    progressTemplate: null,
    language: null,
    sites: [],
  },
};

function Panel({ live, keep, lookedAt }: { live: Live; keep: Keep; lookedAt: LookedAt }) {
  const language: Language = shown.value?.language ?? languageOf(browser.i18n.getUILanguage());
  const state = shown.value ?? UNKNOWN;
  const words = wordsOf(language);
  document.documentElement.lang = language;
  const ui: Ui = {
    ...words,
    language,
    state,
    live,
    keep,
    lookedAt,
    clock,
    bind: (id) => void bind(id),
    unbind: (id) => void unbind(id),
  };
  const events = Object.values(state.stale).reduce((sum, count) => sum + count, 0);
  const why = keep.trouble.value ? 'storage_unavailable' : trouble.value;
  return (
    <UiContext.Provider value={ui}>
      <h1 class="heard">{words.p('product')}</h1>
      <Head>
        <Counted />
      </Head>
      <Standing />
      {why === null ? null : (
        <p class="trouble" role="alert">
          {words.p('failed', { reason: say(language, 'hud', `why.${why}` as 'why.unbound') || why })}
        </p>
      )}
      <PageCard />
      <LostPin />
      <Workspaces />
      <Hidden />
      <Elsewhere />
      <Devices />
      <Retired />
      {events === 0 ? null : <p class="quiet small">{words.p('stale', { count: events })}</p>}
    </UiContext.Provider>
  );
}

export function startPanel(into: HTMLElement): void {
  const live = createLive();
  const keep = createKeep();
  const lookedAt = createLookedAt();
  onPanelChanged(() => void refresh());
  browser.tabs.onActivated.addListener(() => void refresh());
  browser.tabs.onUpdated.addListener(() => void refresh());
  setInterval(() => {
    if (document.visibilityState === 'visible') clock.value = Date.now();
  }, CLOCK_MS);
  render(<Panel live={live} keep={keep} lookedAt={lookedAt} />, into);
  live.connect();
  void keep.load();
  void refresh();
}
