/** What became of what was sent. Where that is not known it says what to do, and offers to ask, never to send again. */
import type { ControlAnswer } from '../../contract/control/index.ts';
import { Icon } from '../icon.tsx';
import { type Act, isOpen } from './desk/index.ts';
import { useUi } from './ui.ts';

/** `readOutput` null: there is no pane to read any more. */
export function Outcome({ act, readOutput }: { act: Act; readOutput: (() => void) | null }) {
  const { keep, t } = useUi();
  const pane = act.target.pane_id;
  const dismiss = () => void keep.dispatch({ type: 'dismiss', pane });
  if (act.phase === 'sending' || act.phase === 'looking') {
    return (
      <p class="small quiet" role="status">
        {t(act.phase)}
      </p>
    );
  }
  if (act.phase === 'uncertain') {
    return (
      <div class="note warn" role="alert">
        <Icon name="unknown" />
        <div>
          <p>
            <strong>{t('uncertain')}</strong>
          </p>
          <p>{act.running ? t('uncertainRunning') : null}</p>
          <p class="small">{t('uncertainNext')}</p>
          {act.text === '' ? null : (
            <details>
              <summary>{t('typedText')}</summary>
              <pre>{act.text}</pre>
            </details>
          )}
          <div class="line">
            {readOutput === null ? null : (
              <button type="button" class="small" onClick={readOutput}>
                {t('output')}
              </button>
            )}
            <button type="button" class="small" onClick={() => void keep.dispatch({ type: 'look', pane })}>
              {t('lookUp')}
            </button>
            {act.running ? null : (
              <button type="button" class="plain small" onClick={dismiss}>
                {t('looked')}
              </button>
            )}
          </div>
        </div>
      </div>
    );
  }
  const done = act.phase === 'done' && act.answer?.ok === true;
  return (
    <div class={`note ${done ? 'good' : 'bad'}`} role={done ? 'status' : 'alert'}>
      <Icon name={done ? 'check' : 'info'} />
      <div class="grow">
        <p>
          {act.phase === 'absent' || act.answer === null ? (
            t('absent')
          ) : (
            <Said action={act.action} answer={act.answer} />
          )}
        </p>
        {act.answer === null || done ? null : <Reason answer={act.answer} />}
      </div>
      {isOpen(act) ? null : (
        <button type="button" class="plain small" onClick={dismiss}>
          {t('looked')}
        </button>
      )}
    </div>
  );
}

/** The outcome in a few words; what was typed is told by what it was. */
export function Said({ action, answer }: { action: string; answer: ControlAnswer }) {
  const { t } = useUi();
  if (answer.outcome === 'submitted') {
    if (action === 'terminal_input') return <>{t('outcome_typed')}</>;
    if (action === 'interrupt') return <>{t('outcome_interrupted')}</>;
    return <>{t(answer.delivery_phase === 'observed' ? 'outcome_submittedSeen' : 'outcome_submitted')}</>;
  }
  if (answer.outcome === 'uncertain') return <>{t('uncertain')}</>;
  return <>{t(`outcome_${answer.outcome}`)}</>;
}

/** The runtime's own sentences, which it says in English. */
function Reason({ answer: { message, next, code } }: { answer: ControlAnswer }) {
  const said = [message, next].filter((one) => one !== undefined).join(' ');
  return (
    <p class="small quiet" lang="en">
      {said === '' ? code : said}
    </p>
  );
}
