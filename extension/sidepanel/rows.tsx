/** Workspaces with Bind and Unbind, what is bound elsewhere, and what has ended. */
import { say } from '../../look/words/index.ts';
import type { PanelState } from '../panel.ts';

interface Actions {
  bind(workspace: string): void;
  unbind(binding: string): void;
}

export function Workspaces({ state, bind, unbind }: { state: PanelState } & Actions) {
  const { language, workspaces, page } = state;
  return (
    <section aria-labelledby="workspaces">
      <h2 id="workspaces">{say(language, 'panel', 'workspaces')}</h2>
      {workspaces.length === 0 ? <p class="quiet">{say(language, 'panel', 'workspaces_none')}</p> : null}
      <ul>
        {workspaces.map(({ id, label, status, binding }) => (
          <li key={id} class={binding === null ? '' : 'bound'}>
            <span class={`dot ${status}`} title={say(language, 'panel', `status_${status}`)} />
            <span class="label">{label}</span>
            <code>{id}</code>
            {page === null ? null : binding === null ? (
              <button
                type="button"
                aria-label={say(language, 'panel', 'bindLabel', { label })}
                onClick={() => bind(id)}
              >
                {say(language, 'panel', 'bind')}
              </button>
            ) : (
              <button
                type="button"
                aria-label={say(language, 'panel', 'unbindLabel', { label })}
                onClick={() => unbind(binding)}
              >
                {say(language, 'panel', 'unbind')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Elsewhere({ state, unbind }: { state: PanelState } & Pick<Actions, 'unbind'>) {
  const { language, elsewhere } = state;
  if (elsewhere.length === 0) return null;
  return (
    <section aria-labelledby="elsewhere">
      <h2 id="elsewhere">{say(language, 'panel', 'elsewhere')}</h2>
      <ul>
        {elsewhere.map(({ binding, label, scopeKey, status }) => (
          <li key={binding} title={scopeKey}>
            <span class={`dot ${status}`} title={say(language, 'panel', `status_${status}`)} />
            <span class="label">{label}</span>
            <button
              type="button"
              aria-label={say(language, 'panel', 'unbindLabel', { label })}
              onClick={() => unbind(binding)}
            >
              {say(language, 'panel', 'unbind')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Retired({ state }: { state: PanelState }) {
  const { language, retired } = state;
  if (retired.length === 0) return null;
  return (
    <section aria-labelledby="retired">
      <h2 id="retired">{say(language, 'panel', 'retired')}</h2>
      <ul>
        {retired.map(({ label, why, at }) => (
          <li key={`${label}${at}`} class="quiet">
            {say(language, 'panel', `retired_${why}`, { label })}
          </li>
        ))}
      </ul>
    </section>
  );
}
