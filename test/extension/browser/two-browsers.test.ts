/// <reference path="./chrome.d.ts" />
/**
 * Two real browser profiles of one workstation show one chat and have bound it, Auto on in both: what both of them would
 * do by themselves comes into the chat once, and a person's draft in one of them stays.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { EXTENSION_ID } from '../../../contract/extension/identity.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { type Conversation, ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { claimsOf } from './claims.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** One profile as a person has it: the chat, and a page of the extension's own that asks its worker. */
interface Profile {
  page: Page;
  own: Page;
}

let product: Product;
let chat: Conversation;
let profiles: Profile[] = [];

async function opened(context: BrowserContext, workspace: string): Promise<Profile> {
  const own = await context.newPage();
  await own.goto(`chrome-extension://${EXTENSION_ID}/options.html`);
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.locator('[data-action="continue"]').waitFor();
  const known = () => own.evaluate(() => chrome.storage.local.get()).then((all) => JSON.stringify(all));
  await until('the workspace', async () => (await known()).includes(`"id":"${workspace}"`));
  const tab = await own.evaluate(async (url) => (await chrome.tabs.query({ url: `${url}*` }))[0]?.id ?? -1, page.url());
  const message = { herdr: 1, to: 'worker', from: 'panel', kind: 'panel.bind', body: { tab, workspace } };
  expect(await own.evaluate((given) => chrome.runtime.sendMessage(given), message)).toMatchObject({ ok: true });
  return { page, own };
}

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 3 });
  const shell = await product.agent('worker');
  chat = product.site.truth.conversation({ title: 'The parser' });
  const second = await product.anotherProfile();
  profiles = [];
  for (const context of [product.context, second]) profiles.push(await opened(context, shell.workspace_id));
});
// What the workers knew is what tells why something did not come.
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    for (const one of profiles) console.error(JSON.stringify(await stored(one), null, 1));
  });
});
afterAll(() => product.end());

const stored = ({ own }: Profile): Promise<Record<string, unknown>> => own.evaluate(() => chrome.storage.local.get());
const button = ({ page }: Profile, action: string) => page.locator(`[data-action="${action}"]`);
const said = (start: string) => chat.turns.filter(({ role, text }) => role === 'user' && text.includes(start));
const answer = (): string | undefined => chat.turns.at(-1)?.status;
const prompt = (text: string) => product.herdr.call('agent.prompt', { target: 'worker', text });

async function auto(on: boolean): Promise<void> {
  for (const one of profiles) {
    await button(one, 'auto').click();
    await one.page.locator(`[data-action="auto"][aria-pressed="${on}"]`).waitFor();
  }
}

/** Several rounds of asking again, in ms. */
const NOTHING_WAITS_MS = 120_000;

/** Both have heard that the work has settled, and neither has anything left to tell of it. */
async function nothingWaits(): Promise<void> {
  for (const one of profiles)
    await until(
      'nothing waits',
      async () => !JSON.stringify((await stored(one))['herdr.bindings']).includes('"panes":[{'),
      // Who heard that another browser is about to asks again after half a minute, and alarms come late.
      NOTHING_WAITS_MS,
    );
}

it('a settle that waits for a person is sent by the first press; the second one says why it sends nothing', async () => {
  verifies('extension.two-browsers', 'extension.buttons');
  const [first, second] = profiles as [Profile, Profile];
  await prompt('one');
  for (const one of profiles) await button(one, 'send_settled').waitFor();
  await button(first, 'send_settled').click();
  await until('the wake', () => said('Herdr:').length === 1 && answer() === 'finished_successfully');
  // Until the first one has seen its message stand, the second one would only hear that one is on its way.
  await until('the runtime knows of it', () => claimsOf(product).some(({ phase }) => phase === 'sent'));
  await button(second, 'send_settled').click();
  await second.page.getByText('another browser of this workstation').first().waitFor();
  expect(said('Herdr:')).toHaveLength(1);
  await nothingWaits();
});

it('a settle wakes it once, and the other browser’s draft stays as it is', async () => {
  verifies('extension.two-browsers', 'extension.wake');
  const [, second] = profiles as [Profile, Profile];
  await auto(true);
  await second.page.locator('#prompt-textarea').click();
  await second.page.keyboard.type('my own words');
  await prompt('two');
  await until('the wake', () => said('Herdr:').length === 2 && answer() === 'finished_successfully');
  expect(await second.page.locator('#prompt-textarea').textContent()).toContain('my own words');
  const composer = second.page.locator('#prompt-textarea');
  await until('the draft is gone', async () => {
    await composer.click();
    await second.page.keyboard.press('ControlOrMeta+A');
    await second.page.keyboard.press('Delete');
    return (await composer.textContent())?.includes('my own words') === false;
  });
  await nothingWaits();
  expect(said('Herdr:')).toHaveLength(2);
});

it('an answer that leaves work open is continued once', async () => {
  verifies('extension.two-browsers', 'extension.auto');
  const [first] = profiles as [Profile, Profile];
  product.site.answer = (reply, user) =>
    void reply
      .write(
        user.text === 'And the tests?'
          ? 'The tests are written. Next step: I will run them, and after that I will fix what fails.'
          : 'They pass.',
      )
      .finish();
  await first.page.locator('#prompt-textarea').click();
  await first.page.keyboard.type('And the tests?');
  await first.page.keyboard.press('Enter');
  await until('the message of Auto', () => said('This message was sent by Auto').length > 0);
  await until('its answer', () => chat.turns.at(-1)?.text === 'They pass.');
  // The one that has not sent it has nothing in its hands either, and sends nothing later.
  const free = async (one: Profile) => {
    const judges = Object.values((await stored(one))['herdr.judges'] ?? {}) as Record<string, unknown>[];
    return judges.length > 0 && judges.every((judge) => judge['sending'] === null && judge['judging'] === null);
  };
  for (const one of profiles) await until('it is decided', () => free(one));
  await first.page.waitForTimeout(5_000);
  expect(said('This message was sent by Auto')).toHaveLength(1);
  expect(claimsOf(product).filter(({ settle }) => String(settle).startsWith('turn:'))).toMatchObject([
    { phase: 'sent' },
  ]);
});
