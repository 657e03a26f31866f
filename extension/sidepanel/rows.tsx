/** What is bound but not in the list: to this page and unseen, or to other pages; and what has ended. */
import { useUi } from './ui.ts';

function Unbind({ binding, label }: { binding: string; label: string }) {
  const { unbind, p } = useUi();
  return (
    <button type="button" class="small" aria-label={p('unbindLabel', { label })} onClick={() => unbind(binding)}>
      {p('unbind')}
    </button>
  );
}

export function Hidden() {
  const { state, t } = useUi();
  if (state.hidden.length === 0) return null;
  return (
    <section aria-labelledby="hidden">
      <h2 id="hidden" class="apart">
        {t('boundGone')}
      </h2>
      <ul>
        {state.hidden.map(({ binding, label }) => (
          <li key={binding} class="row bound">
            <span class="label">{label}</span>
            <Unbind binding={binding} label={label} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Elsewhere() {
  const { state, t, p } = useUi();
  if (state.elsewhere.length === 0) return null;
  return (
    <section aria-labelledby="elsewhere">
      <h2 id="elsewhere" class="apart">
        {p('elsewhere')}
      </h2>
      <ul>
        {state.elsewhere.map(({ binding, label, scopeKey, status }) => (
          <li key={binding} class="row" title={scopeKey}>
            <span class={`dot ${status}`} aria-hidden="true" />
            <span class="heard">{t(`status_${status}`)}</span>
            <span class="label">{label}</span>
            <Unbind binding={binding} label={label} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Retired() {
  const { state, p } = useUi();
  if (state.retired.length === 0) return null;
  return (
    <section aria-labelledby="retired">
      <h2 id="retired" class="apart">
        {p('retired')}
      </h2>
      <ul>
        {state.retired.map(({ label, why, at }) => (
          <li key={`${label}${at}`} class="row quiet">
            {p(`retired_${why}`, { label })}
          </li>
        ))}
      </ul>
    </section>
  );
}
