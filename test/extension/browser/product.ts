/// <reference path="./chrome.d.ts" />
/**
 * The whole way for the tests: a real Chromium with the built extension, the real native host, a real runtime, the
 * embedded Herdr with scripted agents, and the stand-in of the chat page at its real address.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core';
import { EXTENSION_ID } from '../../../contract/extension/identity.ts';
import { installNativeHost, uninstallNativeHost } from '../../../extension/native-host/index.ts';
import type { SiteId } from '../../../extension/page.ts';
import type { PanelAsks, PanelState } from '../../../extension/panel.ts';
import { pagesOf } from '../../../extension/policy.ts';
import { build, DIST, readBuilt } from '../../../scripts/build/index.ts';
import { endHerdr, type Herdr, hasStatus, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { type TestRuntime, testRuntime, until } from '../../runtime-a-b/support/index.ts';
import { type ChatGpt, openChatGpt, serveChatGpt } from '../../sites/chatgpt/index.ts';
import { chromiumPath } from '../chromium.ts';

/** A click or a wait of a test, in ms. By default it is 30 s, which three pages at once exceed on a machine with other work. */
const ACTION_MS = 100_000;

export interface Product {
  herdr: Herdr;
  runtime: TestRuntime;
  context: BrowserContext;
  site: ChatGpt;
  userData: string;
  worker(): Promise<Worker>;
  /** One of our own pages, as a tab. */
  own(path: 'sidepanel.html' | 'options.html' | 'first-run.html', query?: string): Promise<Page>;
  /** Asks the worker as our own pages do. */
  panel<K extends keyof PanelAsks>(kind: K, body: PanelAsks[K]['ask']): Promise<PanelAsks[K]['answer']>;
  state(tab?: number | null): Promise<PanelState>;
  tabOf(page: Page): Promise<number>;
  /** The sections of the worker's storage. */
  stored(): Promise<Record<string, unknown>>;
  stopWorker(): Promise<void>;
  /** Registers the native host; with another id, for another build. */
  register(extensionId?: string): Promise<void>;
  /** No native host is registered any more. */
  unregister(): Promise<void>;
  /** As a person does it at chrome://extensions. */
  reloadExtension(): Promise<void>;
  restartRuntime(): Promise<void>;
  /** Everything that ends with the browser has ended; the profile is the same. */
  restartBrowser(): Promise<void>;
  /** Another browser profile of this workstation: the same extension, runtime and chat site. */
  anotherProfile(): Promise<BrowserContext>;
  agent(name: string): Promise<{ pane_id: string; workspace_id: string }>;
  end(): Promise<void>;
}

export interface ProductOptions {
  agentSeconds?: number;
  /** Sites whose permission a person has given: the browser asks for it in a window of its own, which no test can press. */
  allowed?: readonly SiteId[];
  /** Another Herdr for the runtime than the one with scripted agents. */
  herdrSocket?: string;
}

export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  await build({ parts: ['node', 'extension'] });
  const home = mkdtempSync(join(tmpdir(), 'hx-'));
  const userData = join(home, 'profile');
  const herdr = await startHerdr({ env: { PI_WORK_S: String(options.agentSeconds ?? 1) } });
  const herdrSocket = options.herdrSocket ?? herdr.path;
  let runtime = await testRuntime({ herdrSocket, stateDir: join(home, 's') });
  const host = {
    platform: process.platform,
    home,
    env: {},
    stateDir: runtime.stateDir,
    program: join(DIST, 'herdr-native-host.main.js'),
    node: process.execPath,
    userDataDirs: [userData],
    now: () => new Date(),
  };
  await installNativeHost(host);
  // Its own copy: the id is in the key, and a build that another program begins must not take it away.
  const folder = join(home, 'extension');
  await readBuilt(async () => cpSync(join(DIST, 'extension'), folder, { recursive: true }));
  allow(join(folder, 'manifest.json'), options.allowed ?? []);
  const launch = async (profile = userData) => {
    const launched = await chromium.launchPersistentContext(profile, {
      executablePath: chromiumPath(),
      headless: true,
      ignoreDefaultArgs: ['--disable-extensions'],
      args: ['--no-sandbox', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    });
    launched.setDefaultTimeout(ACTION_MS);
    return launched;
  };
  develop(userData);
  let context = await launch();
  const others: BrowserContext[] = [];
  const site = await openChatGpt(context);
  const origin = `chrome-extension://${EXTENSION_ID}`;

  async function worker(): Promise<Worker> {
    const [running] = context.serviceWorkers().filter((one) => one.url().startsWith(origin));
    return running ?? context.waitForEvent('serviceworker', (one) => one.url().startsWith(origin));
  }
  await worker();
  // The first steps open by themselves after an installation; a person who has read them closes them.
  const firstSteps = () => context.pages().find((page) => page.url() === `${origin}/first-run.html`);
  await until('the first steps', () => firstSteps() !== undefined);
  await firstSteps()?.close();

  async function own(path: string, query = ''): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${origin}/${path}${query}`);
    return page;
  }

  let asking = await own('options.html');
  const panel: Product['panel'] = (kind, body) =>
    asking.evaluate((message) => chrome.runtime.sendMessage(message), {
      herdr: 1,
      to: 'worker',
      from: 'panel',
      kind,
      body,
    });
  async function state(tab: number | null = null): Promise<PanelState> {
    const answer = await panel('panel.state', { tab });
    if (!answer.ok) throw new Error(answer.reason);
    return answer.value;
  }

  return {
    herdr,
    get runtime() {
      return runtime;
    },
    get context() {
      return context;
    },
    site,
    userData,
    worker,
    own,
    panel,
    state,
    async tabOf(page) {
      const url = page.url();
      const id = await asking.evaluate(async (wanted) => {
        const tabs = await chrome.tabs.query({});
        return tabs.find((tab) => tab.url === wanted)?.id ?? null;
      }, url);
      if (id === null) throw new Error(`no tab shows ${url}`);
      return id;
    },
    stored: () =>
      asking.evaluate(async () => ({ ...(await chrome.storage.local.get()), ...(await chrome.storage.session.get()) })),
    async stopWorker() {
      const browser = context.browser();
      const cdp = browser ? await browser.newBrowserCDPSession() : await context.newCDPSession(asking);
      const { targetInfos } = await cdp.send('Target.getTargets');
      const target = targetInfos.find(({ type, url }) => type === 'service_worker' && url.startsWith(origin));
      if (target) await cdp.send('Target.closeTarget', { targetId: target.targetId });
      await cdp.detach();
    },
    async register(extensionId) {
      await installNativeHost({ ...host, ...(extensionId === undefined ? {} : { extensionId }) });
    },
    async unregister() {
      await uninstallNativeHost(host);
    },
    async reloadExtension() {
      const gone = asking.waitForEvent('close');
      await asking.evaluate(() => chrome.runtime.reload()).catch(() => undefined); // the page ends with its extension
      await gone;
      await until('the extension is back', async () => {
        const page = await context.newPage();
        asking = page;
        const shown = page.goto(`${origin}/options.html`).then(() => true);
        return shown.catch(() => page.close().then(() => false));
      });
    },
    async restartRuntime() {
      const { stateDir } = runtime;
      await runtime.end();
      runtime = await testRuntime({ herdrSocket, stateDir });
    },
    async restartBrowser() {
      await context.close();
      context = await launch();
      await serveChatGpt(context, site);
      await worker();
      asking = await own('options.html');
    },
    async anotherProfile() {
      const profile = join(home, 'another');
      await installNativeHost({ ...host, userDataDirs: [userData, profile] });
      develop(profile);
      const opened = await launch(profile);
      others.push(opened);
      await serveChatGpt(opened, site);
      return opened;
    },
    async agent(name) {
      const shell = await herdr.open(name);
      await startAgent(herdr, shell, name);
      await hasStatus(herdr, name, ['idle', 'done']);
      await until(`${name} at the extension`, async () =>
        (await state()).workspaces.some(({ id }) => id === shell.workspace_id),
      );
      return shell;
    },
    async end() {
      for (const one of [context, ...others]) await one.close();
      await runtime.end();
      await endHerdr(herdr);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Chromium loads an unpacked extension by its flag, but reloads it in developer mode only. The switch stands in a new
 * profile before the browser starts: the page that has it takes longer to draw than most tests run.
 */
function develop(userData: string): void {
  mkdirSync(join(userData, 'Default'), { recursive: true });
  const preferences = { extensions: { ui: { developer_mode: true } } };
  writeFileSync(join(userData, 'Default', 'Preferences'), JSON.stringify(preferences));
}

function allow(manifest: string, sites: readonly SiteId[]): void {
  const given = JSON.parse(readFileSync(manifest, 'utf8')) as { host_permissions: string[] };
  given.host_permissions.push(...sites.map(pagesOf));
  writeFileSync(manifest, JSON.stringify(given));
}
