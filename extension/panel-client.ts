/** How our own pages ask the worker, and hear that something has changed. */
import { browser } from 'wxt/browser';
import type { ControlAnswer, ControlTarget } from '../contract/control/index.ts';
import { PROTOCOL } from './messages.ts';
import type { FromPanel, PanelAsks } from './panel.ts';

/** A worker that has just been stopped is started by the question; without any answer nothing was done. */
export async function askWorker<K extends keyof PanelAsks>(
  kind: K,
  body: PanelAsks[K]['ask'],
): Promise<PanelAsks[K]['answer']> {
  const message: FromPanel<K> = { herdr: PROTOCOL, to: 'worker', from: 'panel', kind, body };
  try {
    return (await browser.runtime.sendMessage(message)) as PanelAsks[K]['answer'];
  } catch {
    return { ok: false, reason: 'extension_reloaded' };
  }
}

/** What a method of Herdr would do at most; it is described and never carried out. Null: nobody answered. */
export async function describeMethod(target: ControlTarget, method: string): Promise<ControlAnswer | null> {
  const answer = await askWorker('panel.describe', { target, method });
  return answer.ok ? answer.value : null;
}

export function onPanelChanged(act: () => void): void {
  browser.runtime.onMessage.addListener((message: unknown) => {
    if (typeof message === 'object' && message !== null && Reflect.get(message, 'to') === 'panel') act();
    return undefined;
  });
}
