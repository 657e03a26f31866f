/** Presses the one-time allow of Herdr's own permission cards, once each. What a card must look like is the adapter's. */
import type { SiteAdapter } from '../site/index.ts';

export function createCards(adapter: SiteAdapter) {
  const pressed = new WeakSet<HTMLElement>();
  return {
    look(): void {
      for (const allow of adapter.permissionCards()) {
        if (pressed.has(allow)) continue;
        pressed.add(allow);
        adapter.press(allow);
      }
    },
  };
}
