/** The Side Panel: this tab's page, and the workspaces that it can be bound to. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { browser } from 'wxt/browser';
import { say } from '../../look/words/index.ts';
import type { PanelState } from '../panel.ts';
import { askWorker, onPanelChanged } from '../panel-client.ts';
import { Page, Runtime } from './head.tsx';
import { Elsewhere, Retired, Workspaces } from './rows.tsx';

const shown = signal<PanelState | null>(null);
const trouble = signal<string | null>(null);
const tab = signal<number | null>(null);
let asked = 0;

/** Only the newest answer counts; an older one may come later. */
async function refresh(): Promise<void> {
  asked += 1;
  const mine = asked;
  const [active] = await browser.tabs.query({ active: true, currentWindow: true });
  const own = given('tab');
  tab.value = own ?? active?.id ?? null;
  const answer = await askWorker('panel.state', { tab: tab.value });
  if (mine !== asked) return;
  if (answer.ok) shown.value = answer.value;
  else trouble.value = answer.reason;
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

function Panel() {
  const state = shown.value;
  if (state === null) return <p class="quiet">…</p>;
  const { language } = state;
  document.documentElement.lang = language;
  const events = Object.values(state.stale).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Runtime state={state} openOptions={() => void browser.runtime.openOptionsPage()} />
      <Page state={state} />
      {trouble.value === null ? null : (
        <p class="trouble" role="alert">
          {say(language, 'panel', 'failed', { reason: trouble.value })}
        </p>
      )}
      <Workspaces state={state} bind={bind} unbind={unbind} />
      <Elsewhere state={state} unbind={unbind} />
      <Retired state={state} />
      {events === 0 ? null : <p class="quiet">{say(language, 'panel', 'stale', { count: events })}</p>}
    </>
  );
}

export function startPanel(into: HTMLElement): void {
  onPanelChanged(() => void refresh());
  browser.tabs.onActivated.addListener(() => void refresh());
  browser.tabs.onUpdated.addListener(() => void refresh());
  render(<Panel />, into);
  void refresh();
}
