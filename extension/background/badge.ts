/** The sign on the toolbar button: what needs a person shows before what only goes on. */
import { browser } from 'wxt/browser';
import type { State } from '../machines/worker/index.ts';

export interface Badge {
  text: string;
  color: string;
}

function badgeOf({ link, bindings }: Pick<State, 'link' | 'bindings'>): Badge {
  const rows = Object.values(bindings);
  if (link === 'host_missing' || link === 'host_refused') return { text: '!', color: '#b42318' };
  if (rows.some(({ activity }) => activity.pending !== null)) return { text: '✓', color: '#067647' };
  if (rows.some(({ activity }) => activity.status === 'working')) return { text: '…', color: '#b54708' };
  return { text: '', color: '#000000' };
}

export async function showBadge(state: Pick<State, 'link' | 'bindings'>): Promise<void> {
  const { text, color } = badgeOf(state);
  await browser.action.setBadgeBackgroundColor({ color });
  await browser.action.setBadgeText({ text });
}
