/** Which rows a person has before their eyes: the runtime reads the last lines of these and of no others. */
import { WATCH_PANES_MAX, WATCH_RENEW_MS } from '../../contract/control/index.ts';
import { askWorker } from '../panel-client.ts';
import { REST_MS } from './limits.ts';

export interface LookedAt {
  /** For the row of a pane, as long as it is in the document; `seen` is told when it comes before somebody's eyes and goes. */
  observe(row: HTMLElement, seen: (visible: boolean) => void): () => void;
}

export function createLookedAt(): LookedAt {
  const watcher = `panel:${crypto.randomUUID().slice(0, 8)}`;
  const shown = new Set<string>();
  const told = new Map<Element, (visible: boolean) => void>();
  let asked = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tell(anew: boolean): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const visible = document.visibilityState === 'visible';
      const panes = visible ? [...shown].slice(0, WATCH_PANES_MAX) : [];
      const now = panes.join('\n');
      if (now === asked && !(anew && panes.length > 0)) return;
      asked = now;
      void askWorker('panel.watch', { watcher, panes }).then(({ ok }) => {
        if (!ok) asked = ''; // nobody heard it: with the next change, or renewal, it is said again
      });
    }, REST_MS);
  }

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const pane = (target as HTMLElement).dataset['pane'] ?? '';
      if (isIntersecting) shown.add(pane);
      else shown.delete(pane);
      told.get(target)?.(isIntersecting);
    }
    tell(false);
  });
  document.addEventListener('visibilitychange', () => tell(false));
  setInterval(() => tell(true), WATCH_RENEW_MS);

  return {
    observe(row, seen) {
      told.set(row, seen);
      observer.observe(row);
      return () => {
        observer.unobserve(row);
        told.delete(row);
        shown.delete(row.dataset['pane'] ?? '');
        tell(false);
      };
    },
  };
}
