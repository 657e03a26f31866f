/** The panel's head: can the workstation be reached, and which page is this about. */
import { say } from '../../look/words/index.ts';
import { projectOf } from '../page.ts';
import type { PanelState } from '../panel.ts';

export function Runtime({ state, openOptions }: { state: PanelState; openOptions: () => void }) {
  const { language, runtime, herdr } = state;
  const away = runtime === 'connected' && herdr !== 'live';
  return (
    <header>
      <p class={`runtime ${runtime}`} role="status">
        <span class="dot" aria-hidden="true" />
        {say(language, 'panel', `runtime_${runtime}`)}
      </p>
      {away ? <p class="quiet">{say(language, 'panel', 'herdr_away')}</p> : null}
      <button type="button" class="plain" onClick={openOptions}>
        {say(language, 'panel', 'settings')}
      </button>
    </header>
  );
}

export function Page({ state }: { state: PanelState }) {
  const { language, page } = state;
  if (page === null) return <p class="quiet">{say(language, 'panel', 'page_none')}</p>;
  const unnamed = say(language, 'panel', 'page_unnamed');
  const project = projectOf(page);
  return (
    <section class="page" title={page.url}>
      {project ? <h2>{say(language, 'panel', 'page_project', { name: project.name ?? project.id })}</h2> : null}
      <p>
        {page.place === 'conversation'
          ? say(language, 'panel', 'page_conversation', { name: page.title ?? unnamed })
          : page.place === 'root'
            ? say(language, 'panel', 'page_root')
            : null}
      </p>
    </section>
  );
}
