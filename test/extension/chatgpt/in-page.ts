/** The adapter, put into the stand-in's page as a page script would hold it. */

import type { SiteAdapter } from '../../../extension/site/index.ts';
import { chatgpt } from '../../../extension/sites/chatgpt/index.ts';

declare global {
  interface Window {
    adapter: SiteAdapter;
    never: AbortSignal;
  }
}

window.never = new AbortController().signal;
window.adapter = chatgpt({
  document,
  address: () => new URL(location.href),
  ask: (path, init) => fetch(path, init),
  now: () => Date.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
