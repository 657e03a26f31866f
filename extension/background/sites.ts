/** The sites that a person switched on, kept in step with the browser's permissions and registered scripts. */
import { browser } from 'wxt/browser';
import type { SiteId } from '../page.ts';
import { isOn, pagesOf } from '../policy.ts';
import { syncSiteScripts } from './site-scripts.ts';

export interface SitesParts {
  switchedOn(): Promise<readonly SiteId[]>;
  /** Whether a page script of this version answers in a tab. */
  answers(tab: number): Promise<boolean>;
  failed(error: unknown): unknown;
}

/** Tabs that show one of these pages. */
export async function tabsOf(pages: readonly string[]): Promise<number[]> {
  return (await browser.tabs.query({ url: [...pages] })).flatMap(({ id }) => id ?? []);
}

/** Switched on by a person, and the browser still gives the permission: looked at anew each time. */
export async function isAllowed(site: SiteId, switchedOn: readonly SiteId[]): Promise<boolean> {
  return isOn(site, switchedOn) && browser.permissions.contains({ origins: [pagesOf(site)] });
}

/** Returns what brings everything in step again; permissions that come or go do it by themselves. */
export function keepSites({ switchedOn, answers, failed }: SitesParts): () => void {
  const parts = {
    scripting: browser.scripting,
    holds: (pages: string) => browser.permissions.contains({ origins: [pages] }),
    tabs: (pages: string) => tabsOf([pages]),
    answers,
    start: async (tab: number, file: string) => {
      // A tab that shows an error page, or closes meanwhile, gets the script with its next page.
      await browser.scripting
        .executeScript({ target: { tabId: tab }, files: [file as '/quiet.js'] })
        .catch(() => undefined);
    },
  };
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that nothing is registered twice. */
  const sync = () => {
    last = last.then(async () => syncSiteScripts(parts, await switchedOn())).catch(failed);
  };
  browser.permissions.onAdded.addListener(sync);
  browser.permissions.onRemoved.addListener(sync);
  return sync;
}

/** Asked of a page that runs none of our scripts of this version: read from its DOM by a script that changes nothing. */
export async function isSafe(tab: number): Promise<boolean> {
  try {
    const [first] = await browser.scripting.executeScript({ target: { tabId: tab }, files: ['/quiet.js'] });
    return first?.result === true;
  } catch {
    return false; // still loading, an error page, or gone
  }
}

/** Whether the browser loads something in that tab; unknown is yes. */
export const isLoading = (tab: number): Promise<boolean> =>
  browser.tabs.get(tab).then(
    ({ status }) => status !== 'complete',
    () => true,
  );
