/** Tells each page what its bar shows, when that has changed; an unchanged bar is told nothing. */
import type { HudState } from '../messages.ts';

export function createHuds(tell: (tab: number, state: HudState) => Promise<unknown>) {
  const shown = new Map<number, string>();
  return {
    show(tab: number, state: HudState): void {
      const { revision: _counts, ...visible } = state;
      const text = JSON.stringify(visible);
      if (shown.get(tab) === text) return;
      shown.set(tab, text);
      void tell(tab, state);
    },
    forget: (tab: number) => void shown.delete(tab),
  };
}
