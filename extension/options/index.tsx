/** The Options: what a person may set. Nothing here switches Auto on. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { LANGUAGES, say } from '../../look/words/index.ts';
import { MESSAGE_CHARS_MAX, TICK_SECONDS_MIN } from '../machines/worker/index.ts';
import type { PanelConfig, PanelState } from '../panel.ts';
import { askWorker } from '../panel-client.ts';

const shown = signal<PanelState | null>(null);
const saved = signal(false);

async function refresh(): Promise<void> {
  const answer = await askWorker('panel.state', { tab: null });
  if (answer.ok) shown.value = answer.value;
}

async function save(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return;
  const form = new FormData(event.currentTarget);
  const config: PanelConfig = {
    projectPermission: form.get('projectPermission') === 'on',
    progressTickSec: Number(form.get('progressTickSec')),
    progressFallbackSec: Number(form.get('progressFallbackSec')),
    continueMessage: String(form.get('continueMessage') ?? ''),
    language: LANGUAGES.find((one) => one === form.get('language')) ?? null,
    sites: shown.value?.config.sites ?? [],
  };
  const answer = await askWorker('panel.config', { config });
  saved.value = answer.ok;
  await refresh();
}

/** The languages say their own names. */
const NAMES = { en: 'English', ja: '日本語', zh: '中文' } as const;

function Options() {
  const state = shown.value;
  if (state === null) return <p class="quiet">…</p>;
  const { language, config } = state;
  const t = (key: Parameters<typeof say<'panel'>>[2], values = {}) => say(language, 'panel', key, values);
  document.documentElement.lang = language;
  document.title = t('optionsTitle');
  return (
    <form onSubmit={(event) => void save(event)} key={JSON.stringify(config)}>
      <h1>{t('optionsTitle')}</h1>
      <label>
        {t('language')}
        <select name="language" value={config.language ?? ''}>
          <option value="">{t('language_auto')}</option>
          {LANGUAGES.map((one) => (
            <option key={one} value={one}>
              {NAMES[one]}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" name="projectPermission" defaultChecked={config.projectPermission} />
        {t('permission')}
      </label>
      <p class="hint">{t('permissionHint')}</p>
      <label>
        {t('tick')}
        <input type="number" name="progressTickSec" min="0" defaultValue={String(config.progressTickSec)} />
      </label>
      <p class="hint">{t('tickHint', { min: TICK_SECONDS_MIN })}</p>
      <label>
        {t('fallback')}
        <input type="number" name="progressFallbackSec" min="0" defaultValue={String(config.progressFallbackSec)} />
      </label>
      <p class="hint">{t('fallbackHint')}</p>
      <label>
        {t('continueMessage')}
        <textarea
          name="continueMessage"
          rows={4}
          maxLength={MESSAGE_CHARS_MAX}
          defaultValue={config.continueMessage ?? ''}
        />
      </label>
      <p class="hint">{t('continueHint', { max: MESSAGE_CHARS_MAX })}</p>
      <button type="submit">{t('save')}</button>
      <p role="status">{saved.value ? t('saved') : ''}</p>
    </form>
  );
}

export function startOptions(into: HTMLElement): void {
  render(<Options />, into);
  void refresh();
}
