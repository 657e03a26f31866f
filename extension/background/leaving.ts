/** Closes tabs that nobody needs any more: after an archive, and after an act that was not done. */

import { browser } from 'wxt/browser';
import type { TabOutcome } from '../../contract/browser/dispatch.ts';
import { leftTab } from '../machines/actuation/index.ts';
import type { State } from '../machines/worker/index.ts';
import { type PageIdentity, projectOf } from '../page.ts';
import type { AskPage } from './ask-page.ts';
import { HOME_LOOK_MS, HOME_LOOKS } from './limits.ts';

export interface LeavingParts {
  pause(ms: number): Promise<void>;
  state(): Promise<State>;
  askPage: AskPage;
}

/** Waits for the home of the chat's Project to come up, and says what became of the tab. */
export async function putAway(
  parts: LeavingParts,
  { tab, home, opened }: { tab: number; home: string; opened: boolean },
): Promise<TabOutcome> {
  const isHome = (page: PageIdentity) => page.conversation === null && projectOf(page)?.key === home;
  for (let looked = 1; looked <= HOME_LOOKS; looked += 1) {
    if (looked > 1) await parts.pause(HOME_LOOK_MS);
    const became = await leave(parts, tab, opened, isHome);
    if (became !== 'wait') return became;
  }
  return 'kept_home_not_seen';
}

/** A tab of ours in which nothing was done stays when anything else came up in it. */
export async function closeOpened(parts: LeavingParts, tab: number): Promise<void> {
  const url = (await parts.state()).tabs[tab]?.page.url;
  if (url !== undefined) await leave(parts, tab, true, (page) => page.url === url);
}

async function leave(
  parts: LeavingParts,
  tab: number,
  opened: boolean,
  isHome: (page: PageIdentity) => boolean,
): Promise<TabOutcome | 'wait'> {
  const before = await browser.tabs.get(tab).catch(() => null);
  if (before === null) return 'gone';
  const beside = await browser.tabs.query({ windowId: before.windowId }).catch(() => [before]);
  const answer = await parts.askPage(tab, null, 'leave', null);
  if (!answer?.ok) return 'wait';
  const { page, objection, touched } = answer.value;
  // Asked last: what a person does after this is done to a tab that is closing.
  const now = await browser.tabs.get(tab).catch(() => null);
  if (now === null) return 'gone';
  const became = leftTab({
    atHome: isHome(page) && now.url === page.url,
    objection,
    touched,
    opened,
    active: now.active,
    pinned: now.pinned,
    last: beside.length <= 1,
  });
  if (became !== 'closed') return became;
  // One that has gone meanwhile needs no closing.
  return browser.tabs.remove(tab).then(
    () => 'closed' as const,
    () => 'gone' as const,
  );
}
