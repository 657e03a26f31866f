/// <reference path="../browser/chrome.d.ts" />
/**
 * A Chromium that shows our surfaces in any state: the built extension, whose pages are answered by the worker's own
 * functions over a state that a test names. No native host, no runtime: what is shown is the surface's own doing.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { EXTENSION_ID } from '../../../contract/extension/identity.ts';
import { answerPanel, type PanelParts } from '../../../extension/background/panels.ts';
import { explain } from '../../../extension/checks.ts';
import { type Event, hudOf, type State, step } from '../../../extension/machines/worker/index.ts';
import { CONTROL_PORT, type FromPanel, type ToPanel } from '../../../extension/panel.ts';
import type { Language } from '../../../look/words/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { build, DIST, readBuilt } from '../../../scripts/build/index.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { type ChatGpt, ORIGIN, openChatGpt } from '../../sites/chatgpt/index.ts';
import { chromiumPath } from '../chromium.ts';
import { fleetIn, pushOf } from './panes.ts';
import { connectionIn, STATES, type StateName, TAB } from './states.ts';

export { STATES, type StateName } from './states.ts';

/** Also: a worker that has not answered yet, and one that is gone. */
export type Shown = StateName | 'loading' | 'gone';

export interface Look {
  language: Language;
  scheme: 'light' | 'dark';
  width: number;
  height?: number;
}

/** One of our own pages. */
export type Own = 'sidepanel' | 'options' | 'first-run';

export interface Stage {
  context: BrowserContext;
  site: ChatGpt;
  /** Opens one of our own pages in this state and waits until it shows something. */
  show(page: Own, state: Shown, look: Look): Promise<Page>;
  /** Opens a chat and shows the bar in this state. */
  bar(state: StateName, look: Look): Promise<Page>;
  end(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  await build({ parts: ['extension'] });
  const home = mkdtempSync(join(tmpdir(), 'hs-'));
  const folder = join(home, 'extension');
  await readBuilt(async () => cpSync(join(DIST, 'extension'), folder, { recursive: true }));
  const context = await chromium.launchPersistentContext(join(home, 'profile'), {
    executablePath: chromiumPath(),
    headless: true,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: ['--no-sandbox', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  });
  const origin = `chrome-extension://${EXTENSION_ID}`;
  const site = await openChatGpt(context);
  const asking = await context.newPage();
  await asking.goto(`${origin}/options.html`);

  // The page that opens by itself after an installation would go on asking a worker that has no host.
  const firstSteps = () => context.pages().find((page) => page.url() === `${origin}/first-run.html`);
  await until('the first steps', () => firstSteps() !== undefined);
  await firstSteps()?.close();

  async function dressed(look: Look): Promise<Page> {
    const page = await context.newPage();
    await page.setViewportSize({ width: look.width, height: look.height ?? 800 });
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: 'reduce' });
    return page;
  }

  return {
    context,
    site,
    async show(name, stateName, look) {
      const page = await dressed(look);
      const given = stateName === 'loading' || stateName === 'gone' ? 'unknown' : stateName;
      const state = inLanguage(STATES[given], look.language);
      const held = { state };
      await page.exposeFunction('answerOf', (message: FromPanel) =>
        stateName === 'loading'
          ? new Promise(() => undefined)
          : stateName === 'gone'
            ? { ok: false, reason: 'extension_reloaded' }
            : answerOf(held, message),
      );
      const push = pushOf(state, Date.now());
      const first: ToPanel = push === null ? { kind: 'away' } : { kind: 'state', state: push };
      await page.addInitScript(fakeWorker, { port: CONTROL_PORT, first: given === stateName ? first : null });
      await page.goto(`${origin}/${name}.html${name === 'sidepanel' ? `?tab=${TAB}` : ''}`);
      // Before the worker has answered a page speaks as the browser does.
      const spoken = given === stateName ? look.language : 'en';
      await page.locator(`html[lang="${spoken}"] #app > *`).first().waitFor();
      return page;
    },
    async bar(stateName, look) {
      const page = await dressed(look);
      const chat = site.truth.conversation({
        title: 'Tax rounding',
        turns: [
          ['user', 'Let the builder fix the rounding of the tax, please.'],
          ['assistant', 'I gave the task to the builder in your workspace. I look at its result when it is done.'],
        ],
      });
      const url = `${ORIGIN}/c/${chat.id}`;
      await page.goto(url);
      await page.locator('[data-herdr="bar"] [data-action="continue"]').waitFor();
      const state = inLanguage(STATES[stateName], look.language);
      const shownPage = state.tabs[TAB]?.page;
      const hud = hudOf(
        state,
        shownPage ?? { site: 'chatgpt', place: 'root', conversation: null, project: 'none', url, title: null },
        TAB,
        look.language,
      );
      await asking.evaluate(
        async ({ given, version, address }) => {
          const tab = (await chrome.tabs.query({})).find((one) => one.url === address);
          if (tab?.id === undefined) throw new Error('the chat has no tab');
          await chrome.tabs.sendMessage(tab.id, {
            herdr: 1,
            to: 'page',
            version,
            conversation: null,
            kind: 'hud.changed',
            body: given,
          });
        },
        // Whatever the worker says after it about its own empty state is older than this.
        { given: { ...hud, revision: 1_000_000 }, version: packageJson.version, address: url },
      );
      await page.locator(`[data-herdr="bar"] [lang="${look.language}"]`).waitFor();
      return page;
    },
    async end() {
      await context.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs in the page before its own script: questions go to the test, the port of a Side Panel says one state. */
function fakeWorker({ port, first }: { port: string; first: ToPanel | null }): void {
  const answer = Reflect.get(globalThis, 'answerOf') as (message: unknown) => Promise<unknown>;
  Reflect.set(chrome.runtime, 'sendMessage', (message: unknown) => answer(message));
  const event = { addListener: () => undefined, removeListener: () => undefined };
  Reflect.set(chrome.runtime, 'connect', () => ({
    name: port,
    postMessage: () => undefined,
    disconnect: () => undefined,
    onDisconnect: event,
    onMessage: {
      ...event,
      addListener(act: (message: unknown) => void) {
        if (first !== null) setTimeout(() => act(first), 0);
      },
    },
  }));
}

const inLanguage = (state: State, language: Language): State => ({ ...state, config: { ...state.config, language } });

/** What the worker would answer, of which everything that only shows is real. */
async function answerOf(held: { state: State }, message: FromPanel): Promise<unknown> {
  const { state } = held;
  if (message.kind === 'panel.check') return { ok: true, value: explain(connectionIn(state)) };
  const taken = async (event: Event) => {
    const done = step(held.state, event, { now: Date.now(), language: 'en' });
    held.state = done.state;
    return done.reply;
  };
  const parts: PanelParts = {
    state: async () => held.state,
    take: taken,
    language: () => 'en',
    continuityId: () => 'hc:1:abcdefgh',
    control: {
      fleet: async () => (state.link === 'connected' ? fleetIn(Date.now()) : null),
      act: async ({ action, target }) => ({
        ok: false,
        action,
        target,
        outcome: 'uncertain',
        delivery_phase: 'uncertain',
        code: 'native_request_timeout',
      }),
      lookup: async () => null,
      watch: async () => true,
      describe: async () => null,
    },
    consent: {
      read: async () => (state.link === 'connected' ? { webchat: false, revision: 1, conflict: false } : null),
      set: async () => null,
    },
    setup: {
      state: async () => state,
      take: taken,
      nowMs: () => 0,
      id: () => 'id',
      host: async () => state.link,
      fresh: async () => null,
      listen: () => undefined,
      access: async () => true,
      pages: async () => [],
      version: '1.0.0',
      extensionId: EXTENSION_ID,
    },
  };
  return answerPanel(parts, message);
}
