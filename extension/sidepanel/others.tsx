/** Everything else that Herdr can do: described, never carried out from here. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ControlAnswer, ControlTarget, Risk } from '../../contract/control/index.ts';
import { describeMethod } from '../panel-client.ts';
import { useUi } from './ui.ts';

const RISKS: readonly Risk[] = ['READ', 'MUTATION', 'TERMINAL_MUTATION', 'PROVIDER_STEER', 'UNKNOWN'];

export function Others({ target }: { target: ControlTarget }) {
  const { t } = useUi();
  const id = useId();
  const method = useSignal('');
  const shown = useSignal<ControlAnswer | 'lost' | null>(null);
  async function describe(event: Event): Promise<void> {
    event.preventDefault();
    const answer = await describeMethod(target, method.value.trim());
    shown.value = answer ?? 'lost';
  }
  const now = shown.value;
  return (
    <details class="others">
      <summary>{t('others')}</summary>
      <p class="hint">{t('othersHint')}</p>
      <form class="line" onSubmit={(event) => void describe(event)}>
        <label for={id} class="heard">
          {t('method')}
        </label>
        <input
          id={id}
          type="text"
          class="grow"
          placeholder="pane.rename"
          value={method.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => (method.value = event.currentTarget.value)}
        />
        <button type="submit" class="small" disabled={method.value.trim() === ''}>
          {t('describe')}
        </button>
      </form>
      {now === null ? null : <p role="status">{now === 'lost' ? t('unread') : t('described', described(now, t))}</p>}
    </details>
  );
}

function described({ evidence = {} }: ControlAnswer, t: ReturnType<typeof useUi>['t']) {
  const risk = RISKS.find((one) => one === evidence['risk']) ?? 'UNKNOWN';
  return { method: String(evidence['method'] ?? ''), risk: t(`risk_${risk}`) };
}
