/**
 * The Side Panel in a real Chromium, with the real worker, native host, runtime and Herdr behind it, and scripted agents in
 * real terminals.
 */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
let panel: Page;
let agentPane: string;
let shellPane: string;

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 3 });
  agentPane = (await product.agent('builder')).pane_id;
  shellPane = (await product.herdr.open('shell')).pane_id;
  panel = await product.own('sidepanel.html');
  await panel.setViewportSize({ width: 380, height: 900 });
});
afterAll(() => product.end());

const row = (pane: string) => panel.locator(`[data-pane="${pane}"]`);
const chosen = (pane: string) => row(pane).locator('.choose');
const dock = () => panel.locator('.dock');
const screenOf = async (pane: string) =>
  (await product.herdr.call('pane.read', { pane_id: pane, source: 'visible' })).read.text;

const status = (pane: string, word: RegExp) => chosen(pane).locator('.status').getByText(word).waitFor();

/** What an accessibility check finds in the panel as it stands. */
async function problems(): Promise<string[]> {
  await panel.evaluate(axe.source);
  return panel.evaluate(async () => {
    const { violations } = await (Reflect.get(globalThis, 'axe') as typeof axe).run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

async function choose(pane: string): Promise<void> {
  if ((await chosen(pane).getAttribute('aria-pressed')) !== 'true') await chosen(pane).click();
  await row(pane).locator('.dock').waitFor();
}

describe('the Side Panel', () => {
  it('shows workspaces and panes live: status, elapsed time, last line; nobody asks for them again', async () => {
    verifies('control-center.panel');
    await chosen(agentPane).getByText('builder').waitFor();
    await chosen(shellPane).getByText('terminal').waitFor();
    await product.herdr.call('agent.prompt', { target: 'builder', text: 'count the tests' });
    await status(agentPane, /working/);
    await chosen(agentPane)
      .locator('.elapsed')
      .getByText(/^\d+:\d\d$/)
      .waitFor();
    await chosen(agentPane)
      .getByText(/done|idle/)
      .waitFor();
    await product.herdr.call('pane.send_input', { pane_id: shellPane, text: 'printf last-line', keys: ['enter'] });
    await chosen(shellPane).locator('.last').getByText('last-line').waitFor();
    const late = await product.herdr.open('late');
    await panel.getByRole('button', { name: /^late/ }).waitFor();
    await choose(late.pane_id);
    await product.herdr.call('workspace.close', { workspace_id: late.workspace_id });
    await panel.getByRole('button', { name: /^late/ }).waitFor({ state: 'detached' });
    // The chosen pane is gone with it: that is said, and no other takes its place.
    await panel.getByRole('alert').getByText('This pane is gone').waitFor();
    expect(await panel.locator('[aria-pressed="true"]').count()).toBe(0);
    await panel.getByRole('button', { name: 'Let go' }).click();
    await panel.getByText('This pane is gone').waitFor({ state: 'detached' });
  });

  it('prompts exactly the chosen pane, and a change of focus or of the tab moves nothing', async () => {
    verifies('control-center.panel');
    await choose(agentPane);
    await product.herdr.call('pane.focus', { pane_id: shellPane });
    await chosen(shellPane).getByText('has the focus').waitFor();
    expect(await chosen(agentPane).getAttribute('aria-pressed')).toBe('true');
    await dock().getByLabel('Prompt for builder').fill('hello from the panel');
    await dock().getByRole('button', { name: 'Send prompt' }).click();
    await dock().getByText(/^Sent/).waitFor();
    await until('the text in the pane', async () => (await screenOf(agentPane)).includes('hello from the panel'));
    expect(await dock().getByLabel('Prompt for builder').inputValue()).toBe('');
    await dock().getByRole('button', { name: 'Can it be steered?' }).click();
    await dock().getByText(/^No: /).waitFor();
    await dock().getByRole('button', { name: 'Recent output' }).first().click();
    await dock().locator('.output').getByText('hello from the panel').first().waitFor();
    expect(await problems()).toEqual([]);
  });

  it('interrupts only after a yes', async () => {
    await choose(agentPane);
    await chosen(agentPane)
      .getByText(/done|idle/)
      .waitFor();
    expect(await dock().getByRole('button', { name: 'Interrupt' }).count()).toBe(0);
    await product.herdr.call('agent.prompt', { target: 'builder', text: 'a long one' });
    await dock().getByRole('button', { name: 'Interrupt' }).click();
    const dialog = panel.getByRole('dialog');
    await dialog.getByText('Send Ctrl-C to builder?').waitFor();
    expect(await problems()).toEqual([]);
    await panel.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await chosen(agentPane)
      .getByText(/done|idle/)
      .waitFor();
  });

  it('types one line into a terminal, and nothing once something else is in the pane', async () => {
    verifies('control-center.panel');
    await choose(shellPane);
    const line = dock().getByLabel('One line for the terminal');
    await line.fill('echo typed-here');
    await line.press('Enter');
    await dock().getByText('Typed, with Enter.').waitFor();
    await until('the line', async () => (await screenOf(shellPane)).includes('typed-here'));
    await product.restartRuntime();
    await dock().getByRole('alert').getByText('Something else is in this pane').waitFor();
    expect(await dock().getByRole('button', { name: 'Type and press Enter' }).isDisabled()).toBe(true);
    await dock().getByRole('button', { name: 'Choose what is there now' }).click();
    await dock().getByRole('alert').getByText('Something else is in this pane').waitFor({ state: 'detached' });
  });

  it('describes other methods and carries none out', async () => {
    await choose(shellPane);
    await dock().getByText('Other methods of Herdr').click();
    await dock().getByLabel('Method').fill('pane.close');
    await dock().getByRole('button', { name: 'Describe' }).click();
    await dock().getByText('pane.close: not carried out here.').waitFor();
    expect(await screenOf(shellPane)).toContain('typed-here');
  });

  it('says what is uncertain and what to do, never offers to send it again, and finds out by asking', async () => {
    verifies('control-center.panel');
    await choose(agentPane);
    const key = 'pa:00000000-0000-4000-8000-000000000000';
    const target = await panel.evaluate(
      async () =>
        (await chrome.storage.local.get('panel.pin'))['panel.pin'] as { pane_id: string; target_revision: string },
    );
    const act = {
      key,
      action: 'agent_prompt',
      target: { pane_id: target.pane_id, target_revision: target.target_revision },
      text: 'lost words',
      phase: 'uncertain',
      answer: null,
      running: false,
      at: 0,
    };
    // As a panel leaves it whose answer was lost.
    await panel.evaluate(
      (one) => chrome.storage.local.set({ 'panel.desk': { acts: { [one.target.pane_id]: one } } }),
      act,
    );
    await dock().getByRole('alert').getByText('It is not certain whether this arrived').waitFor();
    expect(await dock().getByRole('button', { name: 'Send prompt' }).isDisabled()).toBe(true);
    const offered = await dock().getByRole('alert').getByRole('button').allTextContents();
    expect(offered).toEqual(['Recent output', 'What became of it?', 'I have looked']);
    expect(await problems()).toEqual([]);
    await dock().getByRole('button', { name: 'What became of it?' }).click();
    await dock().getByText('It never arrived').waitFor();
    expect(await dock().getByLabel('Prompt for builder').inputValue()).toBe('lost words');
    await dock().getByRole('button', { name: 'I have looked' }).click();
  });

  it('is worked by keyboard alone', async () => {
    verifies('control-center.panel');
    await dock().getByRole('button', { name: 'Let go' }).click();
    await dock().waitFor({ state: 'detached' });
    const rows = panel.locator('[data-row]');
    await rows.first().focus();
    await panel.keyboard.press('End');
    const last = await panel.evaluate(() =>
      (document.activeElement as HTMLElement).closest('[data-pane],[data-workspace]')?.outerHTML.slice(0, 80),
    );
    await panel.keyboard.press('Home');
    expect(await rows.first().evaluate((one) => one === document.activeElement)).toBe(true);
    expect(last).toBeTruthy();
    await panel.keyboard.press('ArrowDown');
    await panel.keyboard.press('Enter');
    await dock().waitFor();
    expect(await panel.locator('[aria-pressed="true"]').count()).toBe(1);
    await panel.getByRole('button', { name: 'Collapse all' }).focus();
    await panel.keyboard.press('Enter');
    await panel.locator('[data-pane]').first().waitFor({ state: 'detached' });
    await panel.keyboard.press('Tab');
    await panel.keyboard.press('Enter');
    await panel.locator('[data-pane]').first().waitFor();
  });

  it('asks before local agents may write into chats, and takes it back without asking', async () => {
    verifies('control-center.panel');
    const chat = product.site.truth.conversation({ title: 'Consent' });
    const page = await product.context.newPage();
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    await page.locator('[data-action="continue"]').waitFor();
    const own = await product.own('sidepanel.html', `?tab=${await product.tabOf(page)}`);
    const consent = own.getByRole('switch');
    await own.getByText('Chat “Consent”').waitFor();
    expect(await consent.getAttribute('aria-checked')).toBe('false');
    await consent.click();
    await own.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await consent.getAttribute('aria-checked')).toBe('false');
    await consent.click();
    await own.getByRole('dialog').getByRole('button', { name: 'Allow' }).click();
    await own.locator('[role="switch"][aria-checked="true"]').waitFor();
    await consent.click();
    await own.locator('[role="switch"][aria-checked="false"]').waitFor();
    await Promise.all([own.close(), page.close()]);
  });

  it('says what is missing when the runtime is away, and goes on by itself when it is back', async () => {
    verifies('control-center.panel');
    const { stateDir } = product.runtime;
    await product.runtime.end();
    await panel.getByText('The local runtime does not answer').waitFor();
    await panel.getByText('Nobody confirms this now').waitFor();
    await chosen(agentPane).waitFor();
    await product.restartRuntime();
    expect(product.runtime.stateDir).toBe(stateDir);
    await panel.getByText('Connected to this workstation').waitFor();
    await panel.getByText('Nobody confirms this now').waitFor({ state: 'detached' });
    await product.stopWorker();
    await product.herdr.call('agent.prompt', { target: 'builder', text: 'after the stop' });
    await status(agentPane, /working/);
  });
});
