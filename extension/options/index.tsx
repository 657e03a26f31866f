/** The Options: what a person may set. Nothing here switches Auto on. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { browser } from 'wxt/browser';
import { LANGUAGES, type Language, languageOf, say } from '../../look/words/index.ts';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import { MESSAGE_CHARS_MAX, TEMPLATES, TICK_SECONDS_MIN } from '../machines/worker/index.ts';
import type { PanelConfig, PanelState } from '../panel.ts';
import { askWorker, onPanelChanged } from '../panel-client.ts';
import { Connection } from './connection.tsx';
import { MessageField } from './message-field.tsx';
import { Sites, watchSites } from './sites.tsx';

const shown = signal<PanelState | null>(null);
const gone = signal(false);
/** What was changed here and not saved. Only that is saved: another page may have set the rest meanwhile. */
const changes = signal<Partial<PanelConfig>>({});
const result = signal<'' | 'saved' | { why: string }>('');
let asked = 0;

/** Only the newest answer counts; an older one may come later. */
async function refresh(): Promise<void> {
  asked += 1;
  const mine = asked;
  const answer = await askWorker('panel.state', { tab: null });
  if (mine !== asked) return;
  gone.value = !answer.ok;
  if (answer.ok) shown.value = answer.value;
}

async function save(config: Partial<PanelConfig>): Promise<boolean> {
  const answer = await askWorker('panel.config', { config });
  const language = shown.value?.language ?? 'en';
  result.value = answer.ok ? 'saved' : { why: say(language, 'hud', `why.${answer.reason}`) };
  await refresh();
  return answer.ok;
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const sent = changes.value;
  if (!(await save(sent))) return;
  // What was typed while it was being saved is still a change.
  const rest = Object.entries(changes.value).filter(([name, value]) => Reflect.get(sent, name) !== value);
  changes.value = Object.fromEntries(rest);
}

function change(part: Partial<PanelConfig>): void {
  changes.value = { ...changes.value, ...part };
  result.value = '';
}

/** The languages say their own names. */
const NAMES = { en: 'English', ja: '日本語', zh: '中文' } as const;
/** The provider's keys are set where they lie. */
const ADVICE_COMMAND = 'herdr-mcp semantic setup --help';

function Options() {
  const state = shown.value;
  const language: Language = state?.language ?? languageOf(browser.i18n.getUILanguage());
  const t = (key: Parameters<typeof say<'options'>>[2], values = {}) => say(language, 'options', key, values);
  document.documentElement.lang = language;
  document.title = `Herdr MCP – ${t('title')}`;
  if (state === null) {
    return gone.value ? (
      <>
        <h1>{t('title')}</h1>
        <p class="note bad" role="alert">
          <Icon name="warning" />
          {t('noWorker')}
        </p>
      </>
    ) : (
      <Loading text={t('loading')} />
    );
  }
  const config: PanelConfig = { ...state.config, ...changes.value };
  const unsaved = Object.keys(changes.value).length > 0;
  return (
    <>
      <header class="line">
        <h1 class="grow">{t('title')}</h1>
        <a href="/first-run.html">{t('firstSteps')}</a>
      </header>
      <Connection language={language} />
      <form onSubmit={(event) => void submit(event)}>
        <section class="card" aria-labelledby="language-title">
          <h2 id="language-title">{t('language')}</h2>
          <div class="field">
            <label class="heard" for="language">
              {t('language')}
            </label>
            <select
              id="language"
              name="language"
              value={config.language ?? ''}
              aria-describedby="language-hint"
              onChange={({ currentTarget: { value } }) =>
                change({ language: LANGUAGES.find((one) => one === value) ?? null })
              }
            >
              <option value="">{t('language_auto')}</option>
              {LANGUAGES.map((one) => (
                <option key={one} value={one} lang={one}>
                  {NAMES[one]}
                </option>
              ))}
            </select>
            <p class="hint" id="language-hint">
              {t('languageHint')}
            </p>
          </div>
        </section>
        <section class="card" aria-labelledby="messages">
          <h2 id="messages">{t('messages')}</h2>
          <p class="hint">{t('messagesHint', { max: MESSAGE_CHARS_MAX })}</p>
          <div class="field">
            <label for="continueMessage">{t('continueMessage')}</label>
            <textarea
              id="continueMessage"
              name="continueMessage"
              rows={3}
              maxLength={MESSAGE_CHARS_MAX}
              placeholder={say(language, 'wake', 'continueDefault')}
              value={config.continueMessage ?? ''}
              onInput={(event) => change({ continueMessage: event.currentTarget.value })}
            />
          </div>
          {TEMPLATES.map((name) => (
            <MessageField
              key={name}
              language={language}
              name={name}
              value={config[`${name}Template`] ?? ''}
              onChange={(value) => change({ [`${name}Template`]: value })}
            />
          ))}
        </section>
        <section class="card" aria-labelledby="progress">
          <h2 id="progress">{t('progress')}</h2>
          <Seconds
            name="progressTickSec"
            label={t('tick')}
            hint={t('tickHint', { min: TICK_SECONDS_MIN })}
            value={config.progressTickSec}
          />
          <Seconds
            name="progressFallbackSec"
            label={t('fallback')}
            hint={t('fallbackHint')}
            value={config.progressFallbackSec}
          />
        </section>
        <section class="card" aria-labelledby="projects">
          <h2 id="projects">{t('projects')}</h2>
          <label class="check">
            <input
              type="checkbox"
              name="projectPermission"
              checked={config.projectPermission}
              aria-describedby="permission-hint"
              onChange={(event) => change({ projectPermission: event.currentTarget.checked })}
            />
            {t('permission')}
          </label>
          <p class="hint" id="permission-hint">
            {t('permissionHint')}
          </p>
        </section>
        <div class={unsaved ? 'save line unsaved' : 'save line'}>
          <button type="submit" class="primary">
            {t('save')}
          </button>
          <p role="status" class={typeof result.value === 'string' ? 'good' : 'bad'}>
            {result.value === 'saved' && !unsaved ? t('saved') : null}
            {typeof result.value === 'string' ? null : t('notSaved', { why: result.value.why })}
          </p>
          {unsaved ? <p class="quiet">{t('unsaved')}</p> : null}
        </div>
      </form>
      <Sites language={language} config={state.config} save={save} />
      <section class="card" aria-labelledby="advice">
        <h2 id="advice">{t('advice')}</h2>
        <p class="hint">{t('adviceHint')}</p>
        <Command language={language} text={ADVICE_COMMAND} />
      </section>
    </>
  );
}

function Seconds(props: {
  name: 'progressTickSec' | 'progressFallbackSec';
  label: string;
  hint: string;
  value: number;
}) {
  const { name, label, hint, value } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        type="number"
        id={name}
        name={name}
        min="0"
        step="1"
        required
        value={String(value)}
        aria-describedby={`${name}-hint`}
        onChange={(event) => change({ [name]: event.currentTarget.valueAsNumber })}
      />
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    </div>
  );
}

function Loading({ text }: { text: string }) {
  return (
    <div role="status">
      <span class="heard">{text}</span>
      {['60%', '100%', '85%'].map((width) => (
        <div key={width} class="wait" style={{ width }} />
      ))}
    </div>
  );
}

export function startOptions(into: HTMLElement): void {
  addEventListener('beforeunload', (event) => {
    if (Object.keys(changes.value).length > 0) event.preventDefault();
  });
  onPanelChanged(() => void refresh());
  render(<Options />, into);
  watchSites();
  void refresh();
}
