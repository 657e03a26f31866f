/** The connection test: every piece of the way, what it said, and what mends it. */
import { signal } from '@preact/signals';
import { type Language, say } from '../../look/words/index.ts';
import type { Check } from '../checks.ts';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import { askWorker } from '../panel-client.ts';

const ICON = { ok: 'check', failed: 'cross', skipped: 'wait', note: 'info' } as const;
const TONE = { ok: 'good', failed: 'bad', skipped: 'quiet', note: 'quiet' } as const;

const checks = signal<readonly Check[] | null>(null);
const running = signal(false);

async function test(): Promise<void> {
  running.value = true;
  const answer = await askWorker('panel.check', null);
  running.value = false;
  checks.value = answer.ok ? answer.value : [];
}

export function Connection({ language }: { language: Language }) {
  const t = (key: Parameters<typeof say<'options'>>[2], values = {}) => say(language, 'options', key, values);
  const shown = checks.value;
  const failed = shown?.find(({ state }) => state === 'failed');
  const button = running.value ? 'testing' : shown === null ? 'test' : 'testAgain';
  return (
    <section class="card" aria-labelledby="connection">
      <h2 id="connection">{t('connection')}</h2>
      <p class="hint">{t('connectionHint')}</p>
      <button type="button" aria-disabled={running.value} onClick={() => void (running.value || test())}>
        <Icon name="refresh" />
        {t(button)}
      </button>
      <div role="status">
        {running.value || shown === null ? null : (
          <p class={`verdict ${failed || shown.length === 0 ? 'bad' : 'good'}`}>
            {shown.length === 0
              ? t('noWorker')
              : failed
                ? t('mendFirst', { name: t(`check.${failed.id}`) })
                : t('allWell')}
          </p>
        )}
      </div>
      {shown === null || shown.length === 0 ? null : (
        <ol class="checks" aria-busy={running.value}>
          {shown.map((check) => (
            <li key={check.id} data-check={check.id} data-state={check.state}>
              <span class={TONE[check.state]}>
                <Icon name={ICON[check.state]} />
                <span class="heard">{t(`state.${check.state}`)}</span>
              </span>
              <div class="grow">
                <h3>{t(`check.${check.id}`)}</h3>
                <p class="hint">
                  {check.why === 'ok' ? t(`ok.${check.id}`, check.values) : t(`why.${check.why}`, check.values)}
                </p>
                {check.command === null ? null : <Command language={language} text={check.command} />}
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
