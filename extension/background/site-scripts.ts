/**
 * The page scripts of sites that a person switched on. One is registered only while its site is on and the browser holds
 * its permission; anything else that is registered is taken out on sight. A site's first registration also reaches the
 * tabs that show it already, without a reload: a person may be typing there.
 */
import type { SiteId } from '../page.ts';
import { ASKED_SITES, pagesOf } from '../policy.ts';

interface Registered {
  id: string;
  matches?: string[] | undefined;
}

export interface SiteScriptParts {
  scripting: {
    getRegisteredContentScripts(): Promise<readonly Registered[]>;
    unregisterContentScripts(filter: { ids: string[] }): Promise<void>;
    registerContentScripts(
      scripts: { id: string; matches: string[]; js: string[]; runAt: 'document_idle' }[],
    ): Promise<void>;
  };
  /** Whether the browser holds the permission for these pages. */
  holds(pages: string): Promise<boolean>;
  /** Tabs that show them. */
  tabs(pages: string): Promise<readonly number[]>;
  /** Whether a page script of this version answers there. */
  answers(tab: number): Promise<boolean>;
  /** Starts the script in a tab that is open already. */
  start(tab: number, file: string): Promise<void>;
}

/** The file that the build makes of a site's entrypoint. */
const fileOf = (site: SiteId): string => `content-scripts/${site}.js`;

/** Brings the registrations to what is switched on and allowed. Harmless to repeat. */
export async function syncSiteScripts(parts: SiteScriptParts, switchedOn: readonly SiteId[]): Promise<void> {
  const held = await Promise.all(ASKED_SITES.map(async (site) => (await parts.holds(pagesOf(site))) && site));
  const wanted = ASKED_SITES.filter((site) => switchedOn.includes(site) && held.includes(site));
  const known = (await parts.scripting.getRegisteredContentScripts()).map(({ id }) => id);
  const gone = known.filter((id) => !wanted.some((site) => site === id));
  if (gone.length > 0) await parts.scripting.unregisterContentScripts({ ids: gone });
  const fresh = wanted.filter((site) => !known.includes(site));
  if (fresh.length === 0) return;
  await parts.scripting.registerContentScripts(
    fresh.map((site) => ({ id: site, matches: [pagesOf(site)], js: [fileOf(site)], runAt: 'document_idle' as const })),
  );
  for (const site of fresh) {
    for (const tab of await parts.tabs(pagesOf(site))) {
      if (!(await parts.answers(tab))) await parts.start(tab, fileOf(site));
    }
  }
}
