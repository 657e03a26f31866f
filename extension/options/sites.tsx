/** Chat sites that are switched on one by one. The browser is asked for exactly that site, in the moment it is switched on. */
import { signal } from '@preact/signals';
import { browser } from 'wxt/browser';
import { type Language, say } from '../../look/words/index.ts';
import type { SiteId } from '../page.ts';
import type { PanelConfig } from '../panel.ts';
import { ASKED_SITES, POLICIES, pagesOf } from '../policy.ts';

/** What the browser allows now; a person may also change it at chrome://extensions. */
const held = signal<readonly SiteId[]>([]);
const denied = signal<SiteId | null>(null);

async function look(): Promise<void> {
  const all = await Promise.all(
    ASKED_SITES.map(async (site) => ((await browser.permissions.contains({ origins: [pagesOf(site)] })) ? [site] : [])),
  );
  held.value = all.flat();
}

/** Follows the browser's permissions for as long as the page lives. */
export function watchSites(): void {
  browser.permissions.onAdded.addListener(() => void look());
  browser.permissions.onRemoved.addListener(() => void look());
  void look();
}

export function Sites({
  language,
  config,
  save,
}: {
  language: Language;
  config: PanelConfig;
  save(change: Partial<PanelConfig>): Promise<boolean>;
}) {
  const t = (key: Parameters<typeof say<'options'>>[2], values = {}) => say(language, 'options', key, values);

  async function set(site: SiteId, on: boolean): Promise<void> {
    const others = config.sites.filter((one) => one !== site);
    const origins = [pagesOf(site)];
    denied.value = null;
    // Asked for first: the browser does so only in the moment of a person's press.
    if (on && !(await browser.permissions.request({ origins }))) {
      denied.value = site;
      return;
    }
    const saved = await save({ sites: on ? [...others, site] : others });
    // Held only while it is used: given back when the site is off, and when switching it on was not written down.
    if (on !== saved) await browser.permissions.remove({ origins });
    await look();
  }

  return (
    <section class="card" aria-labelledby="sites">
      <h2 id="sites">{t('sites')}</h2>
      <p class="hint">{t('sitesHint')}</p>
      <ul class="switches">
        {ASKED_SITES.map((site) => {
          const on = config.sites.includes(site);
          const allowed = held.value.includes(site);
          const { origin } = POLICIES[site];
          const state =
            denied.value === site ? 'siteDenied' : on ? (allowed ? 'siteOn' : 'siteRevoked') : ('siteOff' as const);
          return (
            <li key={site}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={on}
                  aria-describedby={`site-${site}`}
                  onClick={(event) => {
                    // It shows what is saved, not what was pressed: the browser may say no.
                    event.preventDefault();
                    void set(site, !on);
                  }}
                />
                {t(`site.${site}`)}
              </label>
              <p class={state === 'siteDenied' || state === 'siteRevoked' ? 'hint warn' : 'hint'} id={`site-${site}`}>
                {t(state, { origin: origin.replace('https://', '') })}
              </p>
              {POLICIES[site].bridge ? <p class="hint">{say(language, 'bridge', 'title')}</p> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
