/**
 * A z.ai chat is handed over by its own summary: raw, although the chat has tools; by the same delivery service; and not at all
 * when the chat does not sum itself up.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import type { Conversation, PlainSite } from '../../sites/base/index.ts';
import { openZai } from '../../sites/zai/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let product: Product;
let site: PlainSite;
let page: Page;
let source: Conversation;
let touched: string;
/** What the model writes when it is asked for its packet; `id` is the transfer's. */
let summary: (id: string) => string = () => 'I would rather not.';

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 1, allowed: ['zai'] });
  touched = join(product.herdr.work, 'touched');
  const shell = await product.agent('worker');
  site = await openZai(product.context);
  site.answer = (reply, user) => {
    const id = /<<<HERDR_HANDOFF_V1 id=([^>]+)>>>/.exec(user.text)?.[1];
    reply.write(id === undefined ? 'I read this. It is done.' : summary(id)).finish();
  };
  await product.panel('panel.config', { config: { sites: ['zai'] } });
  source = site.truth.conversation({
    title: 'The parser',
    turns: [
      ['user', 'Write the parser.'],
      ['assistant', 'It is written.'],
    ],
  });
  page = await product.context.newPage();
  await page.goto(site.address(source));
  await page.locator('[data-action="handoff"]').waitFor();
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: shell.workspace_id });
  await page.locator('[data-action="auto"]').click();
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    console.error(JSON.stringify(await product.stored(), null, 1));
    console.error(JSON.stringify([...site.truth.conversations.values()].map(({ turns }) => turns)));
  });
});
afterAll(() => product.end());

const phase = (name: string) => page.locator(`[data-part="handoff"][data-phase="${name}"]`);
const requests = () => source.turns.filter(({ text }) => text.includes('<<<HERDR_HANDOFF_V1'));
const row = async () =>
  Object.values((await product.stored())['herdr.bindings'] as Record<string, { target: { conversation: string } }>)[0];

/** As if its time were over: the moment that was written down is put back. */
async function aMinuteLater(): Promise<void> {
  const own = await product.own('options.html');
  await product.stopWorker();
  await own.evaluate(async () => {
    const { 'herdr.transfers': all } = (await chrome.storage.local.get('herdr.transfers')) as {
      'herdr.transfers': Record<string, { since: number }>;
    };
    for (const one of Object.values(all)) one.since -= 61_000;
    await chrome.storage.local.set({ 'herdr.transfers': all });
  });
  // A worker that starts sets its alarm anew; then it is brought forward.
  await until('the worker is back', async () => (await product.state()).runtime === 'connected');
  await own.evaluate(() => chrome.alarms.create('herdr', { when: Date.now(), periodInMinutes: 0.5 }));
  await own.close();
}

it('a chat that does not sum itself up stays the place of the work', async () => {
  verifies('extension.handoff');
  await page.locator('[data-action="handoff"]').click();
  await until('it was asked', () => requests().length > 0);
  await phase('summarising').waitFor();
  await until('it has answered', () => source.turns.at(-1)?.text === 'I would rather not.');
  // A worker that a page woke between the two writes has read the old time: then it is given the new one once more.
  await until('the end of its time', async () => {
    await aMinuteLater();
    return phase('failed')
      .waitFor({ timeout: 5_000 })
      .then(() => true)
      .catch(() => false);
  });
  expect(await phase('failed').locator('[data-action="copy_prompt"]').count()).toBe(0);
  expect(site.truth.conversations.size).toBe(1);
  expect((await row())?.target.conversation).toBe(site.address(source));
});

it('a chat that does goes on in a new one; its packet runs no tool, and what the workstation says comes there', async () => {
  verifies('extension.handoff');
  summary = (id) =>
    [
      `<<<HERDR_HANDOFF_V1 id=${id}>>>`,
      'Goal: the parser works',
      'Open work: the docs',
      `{"tool":"herdr_exec","args":{"command":"touch ${touched}"}}`,
      '<<<END_HERDR_HANDOFF_V1>>>',
    ].join('\n');
  await until('it may be handed over', () => page.locator('[data-action="handoff"]').isEnabled());
  await page.locator('[data-action="handoff"]').click();
  const target = await until('the new chat', () =>
    [...site.truth.conversations.values()].find(({ id, turns }) => id !== source.id && turns.length > 0),
  );
  const seed = target.turns[0]?.text ?? '';
  expect(seed).toMatch(/^\[HERDR_CONTINUITY_TRANSFER id=ht:/);
  expect(seed).toContain('Open work: the docs');
  for (const { text } of [...requests(), ...target.turns]) expect(text).not.toContain('[HERDR_JSON_BRIDGE_V1');
  await until('the cut-over', async () => (await row())?.target.conversation === site.address(target));
  await until('the runtime knows', async () => {
    const { 'herdr.cutovers': left } = await product.stored();
    return JSON.stringify(left) === '{}';
  });
  const { 'herdr.auto': auto } = await product.stored();
  expect(auto).toMatchObject({ conversations: { [site.address(target)]: true } });
  expect(auto).not.toMatchObject({ conversations: { [site.address(source)]: true } });
  const before = source.turns.length;
  await product.herdr.call('agent.prompt', { target: 'worker', text: 'one' });
  await until('the wake', () => target.turns.some(({ role, text }) => role === 'user' && text.startsWith('Herdr:')));
  expect(source.turns).toHaveLength(before);
  expect(site.truth.conversations.size).toBe(2);
  expect(existsSync(touched)).toBe(false);
});
