/** The panel's head: can the workstation be reached, what happens on it, and whether anybody confirms what is shown. */
import type { ComponentChildren } from 'preact';
import { browser } from 'wxt/browser';
import { say } from '../../look/words/index.ts';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import type { RuntimeStatus } from '../messages.ts';
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

/** What a person can type where the workstation cannot be reached; null: nothing there helps. */
function helpFor(runtime: RuntimeStatus): string | null {
  if (runtime === 'offline') return 'herdr-mcp up';
  if (runtime === 'standby') return `herdr-mcp native-host install --extension ${browser.runtime.id}`;
  return runtime === 'host_missing' || runtime === 'host_refused' ? 'herdr-mcp native-host install' : null;
}

export function Standing() {
  const { state, live, language, t, p } = useUi();
  const { runtime } = state;
  const herdr = live.herdr.value;
  const known = live.phase.value !== 'loading' && herdr !== null;
  const away = runtime === 'connected' && (herdr === null ? state.herdr : herdr.state) !== 'live';
  const confirmed = runtime === 'connected' && live.phase.value === 'live' && !away;
  // Who is only connecting has nothing to be warned of.
  const asking = runtime === 'unknown' || (runtime === 'connected' && live.phase.value === 'loading');
  if (confirmed || (asking && !known)) return null;
  const help = helpFor(runtime);
  return (
    <div class="note warn">
      <Icon name="warning" />
      <div>
        <p>{away ? p('herdr_away') : known ? t('old') : t('nothing')}</p>
        {help === null ? null : <Command language={language} text={help} />}
        {runtime === 'host_missing' ? (
          <p>
            <a href="/first-run.html" target="_blank" rel="noreferrer">
              {say(language, 'start', 'title')}
            </a>
          </p>
        ) : null}
      </div>
    </div>
  );
}

export function Counted() {
  const { live, t } = useUi();
  const { working, blocked, terminal, idle, done, unknown } = live.counts.value;
  const workspaces = live.order.value.length;
  // Nothing known is not nothing there.
  if (live.phase.value === 'loading' || live.herdr.value === null) return null;
  const panes = working + blocked + terminal + idle + done + unknown;
  return <p class="quiet small counts">{t('counts', { working, blocked, panes, workspaces })}</p>;
}
