/** What was read of the chosen pane: its last output as text, or its details. */
import type { Signal } from '@preact/signals';
import type { ControlAnswer } from '../../contract/control/index.ts';
import { Said } from './outcome.tsx';
import { useUi } from './ui.ts';

const DETAILS = ['agent', 'kind', 'status', 'workspace', 'tab', 'pane', 'cwd', 'title', 'session', 'focused'] as const;

export function Reading({ read, name }: { read: Signal<ControlAnswer | 'busy' | 'lost' | null>; name: string }) {
  const { t } = useUi();
  const now = read.value;
  if (now === null) return null;
  if (now === 'busy')
    return (
      <p class="small quiet" role="status">
        {t('loading')}
      </p>
    );
  if (now === 'lost')
    return (
      <p class="small bad" role="alert">
        {t('unread')}
      </p>
    );
  if (now.outcome !== 'read') {
    return (
      <p class="small" role="status">
        <Said action={now.action} answer={now} />
      </p>
    );
  }
  const facts = now.evidence ?? {};
  if (now.action === 'recent_output')
    return <Output text={String(facts['text'] ?? '')} cut={facts['cut'] === true} name={name} />;
  return (
    <dl class="small facts">
      {DETAILS.filter((one) => facts[one] !== null && facts[one] !== undefined).map((one) => (
        <div key={one}>
          <dt>{t(`detail_${one}`)}</dt>
          <dd>{said(facts[one], t)}</dd>
        </div>
      ))}
    </dl>
  );
}

function said(value: unknown, t: ReturnType<typeof useUi>['t']): string {
  return typeof value === 'boolean' ? t(value ? 'yes' : 'no') : String(value);
}

function Output({ text, cut, name }: { text: string; cut: boolean; name: string }) {
  const { t } = useUi();
  if (text === '') return <p class="small quiet">{t('outputEmpty')}</p>;
  return (
    <>
      {cut ? <p class="small quiet">{t('outputCut')}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="output" tabIndex={0} aria-label={t('outputOf', { name })}>
        <pre>{text}</pre>
      </section>
    </>
  );
}
