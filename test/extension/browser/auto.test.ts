/** Auto and LLM decide in a real browser: the judges behind the runtime, the bar, the permission, a chat grown long. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { answers, Providers, says } from '../../runtime-a-b/semantic/provider.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { type Conversation, ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
let providers: Providers;
let page: Page;
let chat: Conversation;

beforeAll(async () => {
  providers = await new Providers().open();
  product = await startProduct();
  const routes = [providers.route('typed'), providers.route('talk', 'openai-chat')];
  writeFileSync(join(product.runtime.stateDir, 'config.json'), JSON.stringify({ semantic: { routes } }), {
    mode: 0o600,
  });
  const shell = await product.agent('worker');
  chat = product.site.truth.conversation({
    title: 'The parser',
    turns: [
      ['user', 'Build it'],
      ['assistant', 'Here.'],
    ],
  });
  page = await product.context.newPage();
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await button('continue').waitFor();
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: shell.workspace_id });
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(JSON.stringify(await product.stored(), null, 1)));
});
afterAll(async () => {
  await product.end();
  await providers.close();
});

const button = (action: string) => page.locator(`[data-action="${action}"]`);
const said = () => chat.turns.filter(({ role }) => role === 'user').map(({ text }) => text);
const word = (content: string) => says({ choices: [{ message: { content } }] });

it('LLM decide is offered when a chat model is there; its DONE sends nothing, its CONTINUE the person’s message', async () => {
  verifies('extension.auto');
  providers.at('talk', word('DONE'));
  await button('decide').click();
  await page.locator('.toast', { hasText: 'no open work' }).waitFor();
  expect(said()).toEqual(['Build it']);
  providers.at('talk', word('CONTINUE'));
  await page.locator('[data-action="decide"][aria-disabled="false"]').click();
  await until('the message', () => said().length === 2);
  expect(said()[1]).toMatch(/^Continue\./);
  expect(providers.order.every((name) => name === 'talk')).toBe(true);
});

it('Auto goes on behind an answer that leaves work open, once, and says so', async () => {
  verifies('extension.auto', 'extension.judge');
  await until('the answer', () => chat.turns.at(-1)?.status === 'finished_successfully');
  providers.at('typed', answers(0.95));
  product.site.answer = (reply, user) =>
    void reply
      .write(
        user.text === 'And the tests?'
          ? 'The tests are written. Next step: I will run them and fix what fails.'
          : 'They pass.',
      )
      .finish();
  await button('auto').click();
  await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
  await page.locator('#prompt-textarea').click();
  await page.keyboard.type('And the tests?');
  await page.keyboard.press('Enter');
  const ours = () => said().filter((text) => text.includes('This message was sent by Auto'));
  await until('the message of Auto', () => ours().length > 0);
  await until('its answer', () => chat.turns.at(-1)?.text === 'They pass.');
  await page.locator('[data-part="judge"]', { hasText: /→|·/ }).waitFor();
  // The bar locks what Auto does by itself.
  expect(await button('decide').getAttribute('aria-disabled')).toBe('true');
  expect(ours()).toHaveLength(1);
});

it('in a Project the switch explains, leads to the options, and opens no permission', async () => {
  verifies('extension.auto');
  const project = product.site.truth.project('Plans');
  const turns = Array.from({ length: 60 }, (_, index): ['user' | 'assistant', string] => [
    index % 2 === 0 ? 'user' : 'assistant',
    `part ${index} of a long talk`,
  ]);
  const long = product.site.truth.conversation({ title: 'Long', project: project.id, turns });
  product.site.looks.mounted = 6;
  await page.goto(`${ORIGIN}/g/${project.id}-${project.slug}/c/${long.id}`);
  await button('continue').waitFor();
  const [workspace] = (await product.state()).workspaces;
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: workspace?.id ?? '' });
  await button('auto').click();
  await page.locator('[data-part="permission"]').waitFor();
  const options = product.context.pages().find((one) => one.url().endsWith('/options.html'));
  if (options === undefined) throw new Error('the options are open in no tab');
  // An open options page is brought to the front, not opened twice.
  const inFront = () =>
    options.evaluate(async () => (await chrome.tabs.query({ active: true })).some(({ url }) => url === location.href));
  await page.bringToFront();
  expect(await inFront()).toBe(false);
  await button('options').click();
  await until('the options', inFront);
  expect(await options.locator('input[name="projectPermission"]').isChecked()).toBe(false);
  expect((await product.state()).config.projectPermission).toBe(false);
  expect(await button('auto').getAttribute('aria-pressed')).toBe('false');
});

it('a chat of which only the end is mounted is as long as it is, also after a reload that shows less', async () => {
  verifies('extension.auto', 'extension.pressure');
  const shown = page.locator('[data-part="pressure"]', { hasText: 'chat far too long' });
  await shown.waitFor();
  product.site.looks.mounted = 2;
  await page.reload();
  await shown.waitFor();
  // Without Auto nothing is handed over.
  expect([...product.site.truth.conversations.values()]).toHaveLength(2);
});

it('holds no secret of the workstation after all that: not in its storage, not in a page', async () => {
  verifies('extension.no-secrets');
  const secrets = [product.runtime.token, ...['typed', 'talk'].map((name) => providers.route(name).api_key)];
  const options = await product.own('options.html');
  const texts = [
    JSON.stringify(await product.stored()),
    await options.content(),
    await page.content(),
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
  ];
  expect(texts[0]).toContain(chat.id);
  for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
  await options.close();
});
