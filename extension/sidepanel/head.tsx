/** The panel's head: can the workstation be reached, what happens on it, and whether anybody confirms what is shown. */
import type { ComponentChildren } from 'preact';
import { browser } from 'wxt/browser';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import { useUi } from './ui.ts';

export function Head({ children }: { children: ComponentChildren }) {
  const { state, p } = useUi();
  const { runtime } = state;
  return (
    <header class="head">
      <div class="line">
        <p class={`runtime grow ${runtime}`} role="status">
          <span class="dot" aria-hidden="true" />
          <span>{p(`runtime_${runtime}`)}</span>
        </p>
        <button type="button" class="plain small" onClick={() => void browser.runtime.openOptionsPage()}>
          <Icon name="settings" />
          {p('settings')}
        </button>
      </div>
      {children}
    </header>
  );
}

/** What a person can type where the workstation cannot be reached. */
const HELP = { offline: 'herdr-mcp up', host_missing: 'herdr-mcp native-host install' } as const;

export function Standing() {
  const { state, live, language, t, p } = useUi();
  const { runtime } = state;
  const herdr = live.herdr.value;
  const known = live.phase.value !== 'loading' && herdr !== null;
  const away = runtime === 'connected' && (herdr === null ? state.herdr : herdr.state) !== 'live';
  const confirmed = runtime === 'connected' && live.phase.value === 'live' && !away;
  if (confirmed || (runtime === 'connected' && live.phase.value === 'loading')) return null;
  const help = runtime === 'offline' || runtime === 'host_missing' ? HELP[runtime] : null;
  return (
    <div class="note warn">
      <Icon name="warning" />
      <div>
        <p>{away ? p('herdr_away') : known ? t('old') : t('nothing')}</p>
        {help === null ? null : <Command language={language} text={help} />}
      </div>
    </div>
  );
}

export function Counted() {
  const { live, t } = useUi();
  const { working, blocked, terminal, idle, done, unknown } = live.counts.value;
  const workspaces = live.order.value.length;
  if (live.phase.value === 'loading') return null;
  const panes = working + blocked + terminal + idle + done + unknown;
  return <p class="quiet small counts">{t('counts', { working, blocked, panes, workspaces })}</p>;
}
