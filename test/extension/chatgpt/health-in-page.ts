/** The page script's look at its health, put into the stand-in's page, with the worker's side in the test's hands. */
import { createHealth, type Health } from '../../../extension/content/health.ts';
import type { PageEvidence } from '../../../extension/health.ts';
import './in-page.ts';

declare global {
  interface Window {
    health: Health;
    told: PageEvidence[];
    refusals: number;
    /** Orders that the page had agreed to and did not carry out, as often as it said so. */
    declined: string[];
    /** The worker cannot be reached the next time. */
    deaf: boolean;
    /** So many looks at the page, a second apart by the page's clock. */
    glance(): void;
  }
}

window.told = [];
window.refusals = 0;
window.declined = [];
window.deaf = false;
window.health = createHealth({
  adapter: window.adapter,
  ended: window.never,
  page: () => window.adapter.identity(),
  isDelivering: () => false,
  tell: async (_, evidence) => {
    window.told.push(evidence);
    return { ok: true, value: null };
  },
  refused: async () => {
    window.refusals += 1;
    return { ok: true, value: null };
  },
  declined: async (_, id, reason) => {
    window.declined.push(`${id} ${reason}`);
    const lost = window.deaf;
    window.deaf = false;
    return lost ? { ok: false, reason: 'worker_unavailable' } : { ok: true, value: null };
  },
  pause: async () => undefined,
});
window.glance = () => {
  const messages = window.adapter.messages().found;
  if (messages !== null) window.health.seen(window.adapter.identity()?.conversation ?? null, messages);
};
