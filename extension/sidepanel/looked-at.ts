/** Which rows a person has before their eyes: the runtime reads the last lines of these and of no others. */
import { WATCH_PANES_MAX, WATCH_RENEW_MS } from '../../contract/control/index.ts';
import { askWorker } from '../panel-client.ts';
import { REST_MS } from './limits.ts';

export interface LookedAt {
  /** For the row of a pane, as long as it is in the document. */
  observe(row: HTMLElement): () => void;
}

export function createLookedAt(): LookedAt {
  const watcher = `panel:${crypto.randomUUID().slice(0, 8)}`;
  const shown = new Set<string>();
  let told = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tell(anew: boolean): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const visible = document.visibilityState === 'visible';
      const panes = visible ? [...shown].slice(0, WATCH_PANES_MAX) : [];
      const now = panes.join('\n');
      if (now === told && !(anew && panes.length > 0)) return;
      told = now;
      void askWorker('panel.watch', { watcher, panes }).then(({ ok }) => {
        if (!ok) told = ''; // nobody heard it: with the next change, or renewal, it is said again
      });
    }, REST_MS);
  }

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const pane = (target as HTMLElement).dataset['pane'] ?? '';
      if (isIntersecting) shown.add(pane);
      else shown.delete(pane);
    }
    tell(false);
  });
  document.addEventListener('visibilitychange', () => tell(false));
  setInterval(() => tell(true), WATCH_RENEW_MS);

  return {
    observe(row) {
      observer.observe(row);
      return () => {
        observer.unobserve(row);
        shown.delete(row.dataset['pane'] ?? '');
        tell(false);
      };
    },
  };
}
