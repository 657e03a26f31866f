/** What a person sees of us on the page (the bar and the Queue button), as the page script wants it. */
import type { HudState, PageAsks } from './messages.ts';
import type { SiteAdapter } from './site/index.ts';

export interface Surface {
  show(state: HudState): void;
  /** At every moment: the site may have rebuilt the place where our button stood. */
  place(): void;
  remove(): void;
  /** A sentence to the person, for a moment. */
  toast(text: string): void;
}

/** For a site whose pages show nothing of us. */
export const NO_SURFACE: Surface = { show() {}, place() {}, remove() {}, toast() {} };

export interface SurfaceParts {
  adapter: SiteAdapter;
  /** Resolves after so many ms, also in a hidden page. */
  pause(ms: number): Promise<void>;
  ended: AbortSignal;
  ask: PageAsk;
}

type Asked = 'action' | 'queue.add' | 'queue.flush' | 'queue.clear' | 'options.open' | 'bridge.control' | 'hud';

/** Asks the worker in the name of the page as it is now. */
export type PageAsk = <K extends Asked>(kind: K, body: PageAsks[K]['ask']) => Promise<PageAsks[K]['answer']>;
