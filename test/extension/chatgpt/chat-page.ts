/** A chat of the stand-in of ChatGPT, in a Chromium for the file and with the adapter in it; site and chat are as new for each test. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ChatGpt, type Conversation, ORIGIN, openChatGpt } from '../../sites/chatgpt/index.ts';
import { inChromium } from '../in-chromium.ts';

let browser: Browser;
let adapter: string;
let context: BrowserContext;
export let page: Page;
export let site: ChatGpt;
export let chat: Conversation;
const pristine = { faults: {}, looks: {} };

beforeAll(async () => {
  ({ browser, script: adapter } = await inChromium(new URL('in-page.ts', import.meta.url)));
  context = await browser.newContext();
  site = await openChatGpt(context);
  page = await context.newPage();
  Object.assign(pristine, structuredClone({ faults: site.faults, looks: site.looks }));
});
afterAll(() => browser.close());

beforeEach(() => {
  Object.assign(site.faults, structuredClone(pristine.faults));
  Object.assign(site.looks, structuredClone(pristine.looks));
  chat = site.truth.conversation({
    title: 'Fix the parser',
    turns: [
      ['user', 'Please fix the parser.\n\nIt drops blank lines.'],
      ['assistant', 'First paragraph.\n\nSecond one,\nwith two lines.'],
    ],
  });
});

export async function open(path = `/c/${chat.id}`): Promise<void> {
  await page.goto(ORIGIN + path);
  await page.waitForSelector('form button');
  await page.addScriptTag({ content: adapter });
}

export const insert = (text: string) => page.evaluate((given) => window.adapter.insert(given, window.never), text);
export const draft = () => page.evaluate(() => window.adapter.draft());

export const cards = () => page.evaluate(() => window.adapter.permissionCards().map((card) => card.textContent));
