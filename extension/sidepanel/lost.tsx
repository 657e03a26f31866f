/** The chosen pane when it is gone: it says so, and so does what was sent to it. No other pane takes its place. */
import { Icon } from '../icon.tsx';
import { Outcome } from './outcome.tsx';
import { useUi } from './ui.ts';

export function LostPin() {
  const { live, keep, t } = useUi();
  const pin = keep.pin.value;
  if (pin === null || live.phase.value !== 'live' || live.herdr.value?.state !== 'live') return null;
  if (live.pane(pin.pane_id).value !== undefined) return null;
  const act = keep.desk.value.acts[pin.pane_id];
  const name = pin.agent ?? `${t('terminal')} ${pin.pane_id}`;
  return (
    <section class="card" aria-label={t('chosen', { name })}>
      <div class="note warn" role="alert">
        <Icon name="warning" />
        <div>
          <p>
            <strong>{t('chosen', { name })}</strong>
          </p>
          <p>{t('stale_pane_removed')}</p>
          <button type="button" class="small" onClick={() => void keep.setPin(null)}>
            {t('release')}
          </button>
        </div>
      </div>
      {act ? <Outcome act={act} readOutput={null} /> : null}
    </section>
  );
}
