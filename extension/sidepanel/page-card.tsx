/** The page of the active tab: what it is, how much is bound to it, and what the person allows in this browser. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { handoffText } from '../handoff-text.ts';
import { projectOf } from '../page.ts';
import type { ConsentView } from '../panel.ts';
import { askWorker } from '../panel-client.ts';
import { AskYes } from './ask-yes.tsx';
import { useUi } from './ui.ts';

export function PageCard() {
  const { state, t, p } = useUi();
  const { page, workspaces, hidden } = state;
  const count = workspaces.filter(({ binding }) => binding !== null).length + hidden.length;
  const project = page && projectOf(page);
  return (
    <section class="card" aria-labelledby="page" title={page?.url}>
      <div class="line">
        <h2 id="page" class="grow flat">
          {t('page')}
        </h2>
        {page === null ? null : (
          <span class="small quiet">{count === 0 ? t('pageUnbound') : t('pageBound', { count })}</span>
        )}
      </div>
      {page === null ? <p class="quiet">{p('page_none')}</p> : null}
      {project ? <p>{p('page_project', { name: project.name ?? project.id })}</p> : null}
      {page?.place === 'conversation' ? (
        <p>{p('page_conversation', { name: page.title ?? p('page_unnamed') })}</p>
      ) : null}
      {page?.place === 'root' ? <p>{p('page_root')}</p> : null}
      {state.handoff === null ? null : <p data-part="handoff">{handoffText(state.language, state.handoff)}</p>}
      <Consent />
    </section>
  );
}

function Consent() {
  const { state, t } = useUi();
  const view = useSignal<ConsentView | null>(null);
  const asking = useSignal(false);
  const busy = useSignal(false);
  const reached = state.runtime === 'connected';
  useEffect(() => {
    if (reached) void change(null);
  }, [reached]);

  async function change(set: { webchat: boolean; revision: number } | null): Promise<void> {
    busy.value = true;
    const answer = await askWorker('panel.consent', { set });
    busy.value = false;
    if (answer.ok) view.value = answer.value;
  }
  const now = view.value;
  if (!reached || (now === null && busy.value)) return null;
  if (now === null) return <p class="quiet small">{t('consentUnknown')}</p>;
  const press = () => {
    if (busy.value) return;
    // Allowing is asked for; taking it back never is.
    if (now.webchat) void change({ webchat: false, revision: now.revision });
    else asking.value = true;
  };
  return (
    <div class="consent">
      <button type="button" role="switch" class="switch" aria-checked={now.webchat} onClick={press}>
        <span class="track" aria-hidden="true" />
        <span>{t('consent')}</span>
      </button>
      <p class="hint">{now.conflict ? t('consentConflict') : t('consentHint')}</p>
      {asking.value ? (
        <AskYes
          question={t('consentAsk')}
          yes={t('consentYes')}
          no={t('cancel')}
          onNo={() => (asking.value = false)}
          onYes={() => {
            asking.value = false;
            void change({ webchat: true, revision: now.revision });
          }}
        />
      ) : null}
    </div>
  );
}
