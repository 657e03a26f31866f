/**
 * What may be done to the chosen pane, under its row. It stands for exactly what was chosen: when something else is in the
 * pane now it says so, and nothing is sent until the person has chosen again.
 */
import { useComputed, useSignal } from '@preact/signals';
import type { ControlAnswer, ControlRequest, PaneRow } from '../../contract/control/index.ts';
import { Icon } from '../icon.tsx';
import { askWorker } from '../panel-client.ts';
import { AskYes } from './ask-yes.tsx';
import { isOpen, type Pin, pinOf, standingOf, type WriteAction } from './desk/index.ts';
import { Others } from './others.tsx';
import { Outcome } from './outcome.tsx';
import { Reading } from './reading.tsx';
import { nameOf, useUi } from './ui.ts';
import { Write } from './write.tsx';

export function Dock({ row }: { row: PaneRow }) {
  const { keep } = useUi();
  const pin = keep.pin.value;
  return pin === null ? null : <OpenDock row={row} pin={pin} />;
}

function OpenDock({ row, pin }: { row: PaneRow; pin: Pin }) {
  const ui = useUi();
  const { live, keep, state, t } = ui;
  const act = useComputed(() => keep.desk.value.acts[row.id]).value;
  const read = useSignal<ControlAnswer | 'busy' | 'lost' | null>(null);
  const asking = useSignal(false);
  const herdr = live.herdr.value;
  const reached = state.runtime === 'connected' && live.phase.value === 'live' && herdr !== null;
  // The row is drawn anew with everything that could change this.
  const standing = reached ? standingOf(pin, live.picture()) : 'unknown';
  const good = standing === 'good';
  const target = { pane_id: pin.pane_id, target_revision: pin.target_revision };
  const name = nameOf(ui, row);
  const may = (one: PaneRow['capabilities'][number]) => row.capabilities.includes(one);
  const free = good && !(act && isOpen(act));

  /** Reads and the question whether it could be steered: they change nothing, so nothing is written down first. */
  async function ask(request: ControlRequest): Promise<void> {
    read.value = 'busy';
    const answer = await askWorker('panel.act', request);
    read.value = answer.ok && answer.value.outcome !== 'uncertain' ? answer.value : 'lost';
  }
  function send(action: WriteAction, text: string): void {
    void keep.dispatch({ type: 'send', action, target, text, key: `pa:${crypto.randomUUID()}`, at: Date.now() });
  }

  return (
    <section class="dock" aria-label={t('chosen', { name })}>
      {good ? null : (
        <div class="note warn" role="alert">
          <Icon name="warning" />
          <div>
            <p>{t(`stale_${standing}`)}</p>
            {standing === 'target_revision_changed' ? (
              <button type="button" class="small" onClick={() => void keep.setPin(pinOf(row, Date.now()))}>
                {t('chooseAgain')}
              </button>
            ) : null}
          </div>
        </div>
      )}
      {act ? <Outcome act={act} readOutput={() => void ask({ action: 'recent_output', target })} /> : null}
      <div class="line actions">
        <button
          type="button"
          class="small"
          disabled={!good}
          onClick={() => void ask({ action: 'recent_output', target })}
        >
          <Icon name="terminal" />
          {t('output')}
        </button>
        <button type="button" class="small" disabled={!good} onClick={() => void ask({ action: 'details', target })}>
          <Icon name="info" />
          {t('details')}
        </button>
        {may('steer') ? (
          <button type="button" class="small" disabled={!good} onClick={() => void ask({ action: 'steer', target })}>
            {t('steer')}
          </button>
        ) : null}
        {may('interrupt') ? (
          <button type="button" class="small" disabled={!free} onClick={() => (asking.value = true)}>
            <Icon name="stop" />
            {t('interrupt')}
          </button>
        ) : null}
        <button type="button" class="plain small" onClick={() => void keep.setPin(null)}>
          {t('release')}
        </button>
      </div>
      <Reading read={read} name={name} />
      {may('agent_prompt') || may('terminal_input') ? (
        // Another kind of field is another field: words for an agent never slide into its shell.
        <Write
          key={may('agent_prompt') ? 'agent' : 'terminal'}
          action={may('agent_prompt') ? 'agent_prompt' : 'terminal_input'}
          name={name}
          act={act}
          free={free}
          send={send}
        />
      ) : null}
      <Others target={target} />
      {asking.value ? (
        <AskYes
          question={t('interruptAsk', { name })}
          yes={t('interruptYes')}
          no={t('cancel')}
          onNo={() => (asking.value = false)}
          onYes={() => {
            asking.value = false;
            send('interrupt', '');
          }}
        />
      ) : null}
    </section>
  );
}
