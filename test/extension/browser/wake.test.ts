/**
 * The whole way: an agent in a real terminal settles, and the chat is told once. With the worker stopped, the tab
 * reloaded, the extension reloaded and the runtime restarted in between.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { MOVED_LATELY_MS } from '../../../extension/content/limits.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import type { Conversation } from '../../sites/chatgpt/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { claimsOf } from './claims.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
let page: Page;
let chat: Conversation;
let shell: { pane_id: string; workspace_id: string };

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 3 });
  shell = await product.agent('worker');
  chat = product.site.truth.conversation({ title: 'The parser' });
  page = await product.context.newPage();
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.locator('[data-action="continue"]').waitFor();
  const tab = await product.tabOf(page);
  await product.panel('panel.bind', { tab, workspace: shell.workspace_id });
});
// What the worker knew is what tells why a wake did not come.
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(JSON.stringify(await product.stored(), null, 1)));
});
afterAll(() => product.end());

const answer = (): string | undefined => chat.turns.at(-1)?.status;
const told = () => chat.turns.filter(({ role, text }) => role === 'user' && text.startsWith('Herdr:'));
const prompt = (text: string) => product.herdr.call('agent.prompt', { target: 'worker', text });
const button = (action: string) => page.locator(`[data-action="${action}"]`);
const composer = () => page.locator('#prompt-textarea');

async function auto(on: boolean): Promise<void> {
  await button('auto').click();
  await page.locator(`[data-action="auto"][aria-pressed="${on}"]`).waitFor();
}

/** What the extension believes of the bound workspace. */
async function working(): Promise<boolean> {
  const { workspaces } = await product.state();
  return workspaces.some(({ id, status }) => id === shell.workspace_id && status === 'working');
}

/** A settle was taken in that the chat has not been told of. */
async function waits(): Promise<boolean> {
  const { 'herdr.bindings': rows } = await product.stored();
  return JSON.stringify(rows).includes('"panes":[{');
}

/** Exactly so many so far, and the chat has answered the last one. */
async function exactly(times: number): Promise<void> {
  await until(`${times} wakes`, () => told().length >= times && answer() === 'finished_successfully');
  expect(told()).toHaveLength(times);
}

it('a settle without Auto sends nothing: the bar offers it, and a press sends it once', async () => {
  verifies('extension.wake', 'extension.binding');
  await prompt('one');
  await button('send_settled').waitFor();
  expect(told()).toHaveLength(0);
  await button('send_settled').click();
  await exactly(1);
  expect(told()[0]?.text).toContain(shell.pane_id);
});

it('with Auto it waits for a person’s draft, leaves it untouched, and comes when it is gone', async () => {
  verifies('extension.wake', 'compat.settle');
  await auto(true);
  await composer().click();
  await page.keyboard.type('my own words');
  await prompt('two');
  await until('the settle waits', waits);
  expect(await composer().textContent()).toContain('my own words');
  expect(told()).toHaveLength(1);
  await composer().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await exactly(2);
  // Another browser that has this chat finds that it was told.
  await until('the runtime knows of it', () => claimsOf(product).some(({ phase }) => phase === 'sent'));
});

it('while a person writes elsewhere on the page it takes nothing from under their hands, and comes after that', async () => {
  verifies('extension.wake');
  await page.evaluate(() => {
    const search = document.createElement('input');
    search.id = 'search';
    document.body.prepend(search);
  });
  const search = page.locator('#search');
  await search.click();
  let written = '';
  const write = async () => {
    await page.keyboard.type('x');
    written += 'x';
    await page.waitForTimeout(300);
  };
  await write();
  await prompt('three');
  while (!(await waits())) await write();
  // The work has settled, and the page would be told of it now.
  for (let more = 0; more < 12; more += 1) await write();
  expect(await search.inputValue()).toBe(written);
  expect(told()).toHaveLength(2);
  await exactly(3);
  await search.evaluate((element) => element.remove());
});

it('a chat that went on elsewhere is shown as it is now before it is told, and no branch hides what was written there', async () => {
  verifies('extension.wake');
  const before = told().length;
  // Opened anew: nothing of an earlier turn is left to be confirmed, for which the page would be compared with its server.
  await page.goto('about:blank');
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await button('continue').waitFor();
  chat.frozen = true; // this tab hears of nothing, as one that was asleep
  product.site.truth.accept(chat, 'from my phone', []);
  product.site.reply(chat).write('I heard your phone').finish();
  await page.waitForTimeout(MOVED_LATELY_MS);
  const loads = product.site.requests.filter((one) => one === `GET /c/${chat.id}`).length;
  await prompt('while you were out');
  await until('it was told', () => told().length > before, 90_000);
  chat.frozen = false;
  expect(product.site.requests.filter((one) => one === `GET /c/${chat.id}`)).toHaveLength(loads + 1);
  expect(chat.outOfSight).toEqual([]);
  expect(chat.turns.map(({ text }) => text)).toContain('from my phone');
  await exactly(before + 1);
});

const FAULTS: readonly [string, () => Promise<unknown>][] = [
  ['the worker is stopped', () => product.stopWorker()],
  ['the tab is reloaded', () => page.reload()],
  ['the runtime is restarted', () => product.restartRuntime()],
  ['the extension is reloaded', () => product.reloadExtension()],
];

// What was told before would be told again here, if it were told twice.
it.each(FAULTS.map(([what, act], index) => [what, act, index + 5] as const))(
  'when %s while an agent works: one message, never two',
  async (_what, act, expected) => {
    verifies('extension.wake', 'extension.binding');
    await prompt('more');
    // On a busy machine the agent may be done before anybody has looked; the fault then comes after the wake.
    await until('work is seen', async () => told().length >= expected || (await working()));
    await act();
    await exactly(expected);
  },
);

it('the Queue keeps what was written while an answer comes in, over a stopped worker, and sends it when the turn ends', async () => {
  verifies('extension.queue');
  const replies: { finish(): void }[] = [];
  product.site.answer = (reply) => {
    replies.push(reply);
    reply.write('I am at it');
  };
  await page.locator('[data-action="continue"]').waitFor();
  await composer().click();
  await page.keyboard.type('a first question');
  await page.keyboard.press('Enter');
  await until('the answer runs', () => replies.length === 1);
  await composer().click();
  await page.keyboard.type('and then this');
  await page.locator('[data-herdr="queue"] button').click();
  await until('it is kept', async () => JSON.stringify(await product.stored()).includes('and then this'));
  await product.stopWorker();
  replies[0]?.finish();
  const sent = () => chat.turns.filter(({ text }) => text === 'and then this');
  await until('it was sent', () => sent().length > 0);
  replies[1]?.finish();
  await until('the Queue is empty', async () => !JSON.stringify(await product.stored()).includes('and then this'));
  expect(sent()).toHaveLength(1);
});
