/** Our own pages and the bar, in every state. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../look/words/index.ts';
import { type Look, type Own, openStage, type Shown, STATES, type StateName } from '../stage/index.ts';

/** A picture: the state that it begins with, and what a person then does. */
interface Shot {
  state: Shown;
  /** Only what the window shows, where the whole page would say less. */
  window?: true;
  act?: (page: Page) => Promise<void>;
}

const test = async (page: Page) => {
  await page.locator('[aria-labelledby="connection"] button').first().click();
  await page.locator('[data-check="pages"]').waitFor();
};

const OPTIONS: Readonly<Record<string, Shot>> = {
  usual: { state: 'idle' },
  loading: { state: 'loading' },
  gone: { state: 'gone' },
  tested_well: { state: 'idle', act: test, window: true },
  tested_missing: { state: 'host_missing', act: test, window: true },
  tested_standby: { state: 'standby', act: test, window: true },
  tested_offline: { state: 'offline', act: test, window: true },
  tested_herdr_away: { state: 'herdr_away', act: test, window: true },
  template: {
    state: 'idle',
    window: true,
    act: async (page) => {
      await page.locator('#settledTemplate').fill('{workspace}: {state}\n{endedd}');
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.locator('.save.unsaved').waitFor();
      await page.locator('#messages').evaluate((title) => title.scrollIntoView());
    },
  },
};

const FIRST_RUN: readonly Shown[] = [
  'loading',
  'unknown',
  'host_missing',
  'standby',
  'offline',
  'empty',
  'no_chat',
  'unbound',
  'idle',
  'settled',
  'refused',
  'uncertain',
  'sent',
  'crowded',
];
const PANEL: readonly Shown[] = ['loading', 'gone', ...(Object.keys(STATES) as StateName[])];
const BAR: readonly StateName[] = [
  'host_missing',
  'offline',
  'herdr_away',
  'unbound',
  'idle',
  'working',
  'settled',
  'blocked',
  'refused',
  'uncertain',
  'crowded',
];

const plain = (states: readonly Shown[]): Record<string, Shot> =>
  Object.fromEntries(states.map((state) => [state, { state }]));

const PAGES: Readonly<Record<Own, { shots: Readonly<Record<string, Shot>>; width: number; height: number }>> = {
  options: { shots: OPTIONS, width: 760, height: 700 },
  'first-run': { shots: plain(FIRST_RUN), width: 760, height: 700 },
  sidepanel: { shots: plain(PANEL), width: 380, height: 760 },
};

const looks = (width: number, height: number): Look[] =>
  LANGUAGES.flatMap((language) =>
    (['light', 'dark'] as const).map((scheme): Look => ({ language, scheme, width, height })),
  );

export async function takeSurfaces(folder: string, wanted: (surface: string) => boolean): Promise<void> {
  const names = (Object.keys(PAGES) as Own[]).filter(wanted);
  if (names.length === 0 && !wanted('bar')) return;
  const stage = await openStage();
  try {
    for (const name of names) {
      const { shots, width, height } = PAGES[name];
      for (const look of looks(width, height)) {
        for (const [title, { state, act, window }] of Object.entries(shots)) {
          const page = await stage.show(name, state, look);
          await act?.(page);
          const path = join(folder, name, `${title}.${look.language}.${look.scheme}.png`);
          await page.screenshot({ path, fullPage: name !== 'sidepanel' && window !== true, animations: 'disabled' });
          await page.close();
        }
      }
    }
    for (const look of wanted('bar') ? [...looks(1000, 420), ...looks(420, 520)] : []) {
      for (const state of BAR) {
        const page = await stage.bar(state, look);
        const size = look.width > 600 ? '' : '_narrow';
        await page.screenshot({ path: join(folder, 'bar', `${state}${size}.${look.language}.${look.scheme}.png`) });
        await page.close();
      }
    }
  } finally {
    await stage.end();
  }
}
