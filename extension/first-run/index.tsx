/**
 * The first steps: what is pressed without asking is said first, then three steps that are ticked off by what is really so,
 * then what Auto may do. Nothing here switches Auto on.
 */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { browser } from 'wxt/browser';
import { type Language, languageOf, say } from '../../look/words/index.ts';
import { Icon } from '../icon.tsx';
import type { Answer } from '../messages.ts';
import type { FirstRun } from '../panel.ts';
import { askWorker, onPanelChanged } from '../panel-client.ts';
import { AFTER_FAILURE_MS, WATCH_MS } from './limits.ts';
import { Auto, Before, Bind, Host, type Step, stepsOf, Wake } from './steps.tsx';

const shown = signal<FirstRun | null>(null);
const trouble = signal<string | null>(null);
let asked = 0;

/** Only the newest answer counts; an older one may come later. */
async function refresh(): Promise<void> {
  asked += 1;
  const mine = asked;
  const answer = await askWorker('panel.first', null);
  if (mine === asked && answer.ok) shown.value = answer.value;
}

/** What happens in a terminal tells no browser: the page looks, while somebody looks at it and something is missing. */
async function watch(): Promise<void> {
  for (;;) {
    const missing = shown.value === null || shown.value.runtime !== 'connected';
    if (missing && document.visibilityState === 'visible') await refresh();
    await new Promise((resolve) => setTimeout(resolve, shown.value === null ? AFTER_FAILURE_MS : WATCH_MS));
  }
}

async function told(answer: Promise<Answer<null>>): Promise<void> {
  const given = await answer;
  const language = shown.value?.language ?? 'en';
  trouble.value = given.ok
    ? null
    : say(language, 'start', 'notDone', { why: say(language, 'hud', `why.${given.reason}`) });
  await refresh();
}

function FirstSteps() {
  const state = shown.value;
  const language: Language = state?.language ?? languageOf(browser.i18n.getUILanguage());
  const t = (key: Parameters<typeof say<'start'>>[2], values = {}) => say(language, 'start', key, values);
  document.documentElement.lang = language;
  document.title = `Herdr MCP – ${t('title')}`;
  const steps = stepsOf(state);
  return (
    <>
      <header class="line">
        <h1 class="grow">{t('title')}</h1>
        <a href="/options.html">{t('options')}</a>
      </header>
      <p>{t('lead')}</p>
      <Before language={language} />
      <ol class="steps">
        <StepCard language={language} step={steps.host} number={1} title={t('hostTitle')}>
          <Host language={language} state={state} />
        </StepCard>
        <StepCard language={language} step={steps.bind} number={2} title={t('bindTitle')}>
          <Bind
            language={language}
            state={state}
            step={steps.bind}
            bind={(tab, workspace) => void told(askWorker('panel.bind', { tab, workspace }))}
          />
        </StepCard>
        <StepCard language={language} step={steps.wake} number={3} title={t('wakeTitle')}>
          <Wake
            language={language}
            state={state}
            step={steps.wake}
            send={(tab) => void told(askWorker('panel.trial', { tab }))}
          />
        </StepCard>
      </ol>
      <div role="alert">
        {trouble.value === null ? null : (
          <p class="note bad">
            <Icon name="warning" />
            {trouble.value}
          </p>
        )}
      </div>
      <Auto language={language} />
    </>
  );
}

function StepCard(props: {
  language: Language;
  step: Step;
  number: number;
  title: string;
  children: preact.ComponentChildren;
}) {
  const { language, step, number, title, children } = props;
  return (
    <li
      class={`card step ${step}`}
      data-step={number}
      data-state={step}
      aria-current={step === 'now' ? 'step' : undefined}
    >
      <span class="number" aria-hidden="true">
        {step === 'done' ? <Icon name="check" /> : number}
      </span>
      <div class="grow">
        <h2>
          {title}
          <span class="heard"> – </span>
          <span class="mark" role="status">
            {say(language, 'start', `state.${step}`)}
          </span>
        </h2>
        {children}
      </div>
    </li>
  );
}

export function startFirstRun(into: HTMLElement): void {
  onPanelChanged(() => void refresh());
  render(<FirstSteps />, into);
  void watch();
}
