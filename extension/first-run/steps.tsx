/** What each of the first steps says and offers. */
import { useSignal } from '@preact/signals';
import { browser } from 'wxt/browser';
import { type Language, say } from '../../look/words/index.ts';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import type { FirstRun } from '../panel.ts';

export type Step = 'done' | 'now' | 'later';

const CHAT_URL = 'https://chatgpt.com/';

/** Each step by what is so, in order; a later one may be done before an earlier one is done again. */
export function stepsOf(state: FirstRun | null): Record<'host' | 'bind' | 'wake', Step> {
  const host = state?.runtime === 'connected';
  const bind = (state?.bindings.length ?? 0) > 0;
  const wake = state?.wake?.state === 'sent';
  return {
    host: host ? 'done' : 'now',
    bind: bind ? 'done' : host ? 'now' : 'later',
    wake: wake ? 'done' : host && bind ? 'now' : 'later',
  };
}

type Words = (key: Parameters<typeof say<'start'>>[2], values?: Record<string, string | number>) => string;
const wordsOf =
  (language: Language): Words =>
  (key, values = {}) =>
    say(language, 'start', key, values);

export function Before({ language }: { language: Language }) {
  const t = wordsOf(language);
  return (
    <section class="note warn" aria-labelledby="before">
      <Icon name="warning" />
      <div>
        <h2 id="before">{t('beforeTitle')}</h2>
        <p>{t('beforeText')}</p>
        <p>{t('beforeLimit')}</p>
      </div>
    </section>
  );
}

export function Host({ language, state }: { language: Language; state: FirstRun | null }) {
  const t = wordsOf(language);
  const runtime = state?.runtime ?? 'unknown';
  if (runtime === 'connected') return <p>{t('hostDone')}</p>;
  if (runtime === 'unknown') {
    return (
      <p class="quiet" role="status">
        {t('hostLooking')}
      </p>
    );
  }
  const other = `herdr-mcp native-host install --extension ${browser.runtime.id}`;
  return (
    <>
      {runtime === 'offline' ? <p>{t('hostRuntime')}</p> : null}
      {runtime === 'offline' ? <Command language={language} text="herdr-mcp up" /> : null}
      {runtime === 'standby' ? <p>{t('hostOther')}</p> : null}
      {runtime === 'standby' ? <Command language={language} text={other} /> : null}
      {runtime === 'host_missing' || runtime === 'host_refused' ? (
        <>
          <p>{t('hostText')}</p>
          <p>{t('hostInstall')}</p>
          <Command language={language} text="herdr-mcp native-host install" />
          <p class="hint">{t('hostClone')}</p>
          <Command language={language} text="npm run herdr-mcp -- native-host install" />
        </>
      ) : null}
      <p class="quiet line">
        <Icon name="wait" />
        {t('hostWaiting')}
      </p>
    </>
  );
}

interface Parts {
  language: Language;
  state: FirstRun | null;
  step: Step;
}

export function Bind({ language, state, step, bind }: Parts & { bind(tab: number, workspace: string): void }) {
  const t = wordsOf(language);
  const chat = useSignal<number | null>(null);
  const place = useSignal<string | null>(null);
  if (state === null || step === 'later') return <p>{t('bindText')}</p>;
  if (step === 'done') {
    return (
      <>
        <p>{t('bindDone', { labels: state.bindings.join(', ') })}</p>
        <p class="hint">{t('bindLater')}</p>
      </>
    );
  }
  if (state.workspaces.length === 0) {
    return (
      <>
        <p>{t('bindText')}</p>
        <p>{t('bindNoWorkspace')}</p>
        <Command language={language} text="herdr-mcp herdr open ." />
      </>
    );
  }
  if (state.pages.length === 0) {
    return (
      <>
        <p>{t('bindText')}</p>
        <p>{t('bindNoChat')}</p>
        <a class="button primary" href={CHAT_URL} target="_blank" rel="noreferrer">
          <Icon name="external" />
          {t('bindOpen')}
        </a>
      </>
    );
  }
  // The chat that was named may have been closed meanwhile.
  const tab = state.pages.find((page) => page.tab === chat.value)?.tab ?? state.pages[0]?.tab;
  const workspace = state.workspaces.find(({ id }) => id === place.value)?.id ?? state.workspaces[0]?.id;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (tab !== undefined && workspace !== undefined) bind(tab, workspace);
      }}
    >
      <p>{t('bindText')}</p>
      <div class="pair">
        <div>
          <label for="chat">{t('bindChat')}</label>
          <select id="chat" value={String(tab)} onChange={(event) => (chat.value = Number(event.currentTarget.value))}>
            {state.pages.map((page) => (
              <option key={page.tab} value={String(page.tab)}>
                {page.place === 'project' ? t('projectHome', { name: page.title ?? '' }) : (page.title ?? t('unnamed'))}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="workspace">{t('bindWorkspace')}</label>
          <select id="workspace" value={workspace} onChange={(event) => (place.value = event.currentTarget.value)}>
            {state.workspaces.map(({ id, label }) => (
              <option key={id} value={id}>
                {label === id ? id : `${label} (${id})`}
              </option>
            ))}
          </select>
        </div>
      </div>
      <button type="submit" class="primary">
        <Icon name="link" />
        {t('bind')}
      </button>
      <p class="hint">{t('bindLater')}</p>
    </form>
  );
}

export function Wake({ language, state, step, send }: Parts & { send(tab: number): void }) {
  const t = wordsOf(language);
  if (state === null || step === 'later') return <p>{t('wakeText')}</p>;
  if (step === 'done') return <p>{t('wake.sent')}</p>;
  const { wake } = state;
  const page =
    state.pages.find(({ receives, settled }) => receives && settled !== null) ??
    state.pages.find((one) => one.receives);
  const moving = wake?.state === 'waiting' || wake?.state === 'submitting';
  const settled = page?.settled ?? null;
  const boundOnly = state.pages.some(({ bound }) => bound.length > 0);
  return (
    <>
      <p>{settled === null ? t('wakeText') : t('wakeSettled', { label: settled })}</p>
      <p role="status" class={wake?.state === 'blocked' || wake?.state === 'uncertain' ? 'warn' : 'quiet'}>
        {wake === null
          ? null
          : t(`wake.${wake.state}`, {
              why: wake.reason === null ? '' : say(language, 'hud', `why.${wake.reason}`),
            })}
      </p>
      {page === undefined ? (
        <p>{t(boundOnly ? 'wakeProject' : 'wakeOpenChat')}</p>
      ) : (
        <button
          type="button"
          class={wake?.state === 'uncertain' ? '' : 'primary'}
          aria-disabled={moving}
          onClick={() => moving || send(page.tab)}
        >
          <Icon name="send" />
          {t(wake?.state === 'uncertain' ? 'wakeSendLooked' : 'wakeSend')}
        </button>
      )}
    </>
  );
}

export function Auto({ language }: { language: Language }) {
  const t = wordsOf(language);
  return (
    <section class="card" aria-labelledby="auto">
      <h2 id="auto">{t('autoTitle')}</h2>
      <p>{t('autoText')}</p>
      <ul class="may">
        {(
          [
            ['send', 'autoSend'],
            ['refresh', 'autoReload'],
            ['handoff', 'autoHand'],
          ] as const
        ).map(([icon, key]) => (
          <li key={key} class="line">
            <Icon name={icon} />
            <span class="grow">{t(key)}</span>
          </li>
        ))}
      </ul>
      <p>{t('autoNever')}</p>
    </section>
  );
}
