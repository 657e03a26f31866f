/** The service worker in a real Chromium, with the real native host and a real runtime behind it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.end());

describe('the service worker', () => {
  it('reaches the runtime through the native host and shows its workspaces', async () => {
    verifies('extension.native-host');
    const shell = await product.agent('first');
    const { runtime, herdr, workspaces } = await product.state();
    expect({ runtime, herdr }).toEqual({ runtime: 'connected', herdr: 'live' });
    expect(workspaces.map(({ id }) => id)).toContain(shell.workspace_id);
  });

  it('is worked by hand: Bind and Unbind in the Side Panel, the permission in the Options', async () => {
    verifies('extension.binding');
    const chat = product.site.truth.conversation({ title: 'By hand' });
    const page = await product.context.newPage();
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    await page.locator('[data-action="continue"]').waitFor();
    const panel = await product.own('sidepanel.html', `?tab=${await product.tabOf(page)}`);
    await panel.getByRole('button', { name: 'Bind first to this page' }).click();
    const unbind = panel.getByRole('button', { name: 'Unbind first from this page' });
    await unbind.waitFor();
    await page.locator('[data-action="auto"]').waitFor();
    await page.reload();
    await page.locator('[data-action="auto"]').waitFor();
    await unbind.click();
    await panel.getByRole('button', { name: 'Bind first to this page' }).waitFor();
    const options = await product.own('options.html');
    await options.getByLabel('Allow Auto in ChatGPT Projects').check();
    await options.getByRole('button', { name: 'Save' }).click();
    await options.getByText('Saved.').waitFor();
    expect((await product.state()).config).toMatchObject({ projectPermission: true, progressTickSec: 60 });
    await Promise.all([page, panel, options].map((one) => one.close()));
  });

  it('comes back by itself when the runtime was replaced, and when it was stopped', async () => {
    await product.restartRuntime();
    await until('connected again', async () => (await product.state()).runtime === 'connected');
    await product.stopWorker();
    await until('connected after a stop', async () => (await product.state()).runtime === 'connected');
  });

  it('of two installed builds only the registered one touches a page', async () => {
    verifies('extension.native-host', 'compat.native');
    const chat = product.site.truth.conversation({ title: 'Whose page' });
    const page = await product.context.newPage();
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    const bar = page.locator('[data-action="continue"]');
    await bar.waitFor();
    await product.register('b'.repeat(32));
    await until('standby', async () => (await product.state()).runtime === 'standby');
    await bar.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('form button').first().waitFor();
    await until('standby after the reload', async () => (await product.state()).runtime === 'standby');
    expect(await bar.count()).toBe(0);
    await product.register();
    await until('registered again', async () => (await product.state()).runtime === 'connected');
    await page.reload();
    await bar.waitFor();
    await page.close();
  });

  it('is set up by the first steps, which notice each by itself and leave Auto off', async () => {
    verifies('control-center.first-run', 'control-center.options');
    const shell = await product.agent('steps');
    await product.unregister();
    await product.stopWorker();
    const first = await product.own('first-run.html');
    const step = (number: number, state: string) =>
      first.locator(`[data-step="${number}"][data-state="${state}"]`).waitFor();
    await first.locator('[data-step="1"]').getByText('herdr-mcp native-host install', { exact: true }).waitFor();
    const text = await first.locator('main').textContent();
    expect(text).toMatch(/what is pressed without asking[\s\S]*native-host install/);
    await product.register();
    await step(1, 'done');
    const chat = product.site.truth.conversation({ title: 'First steps', turns: [['user', 'hello']] });
    const page = await product.context.newPage();
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    await page.locator('[data-action="continue"]').waitFor();
    await first.bringToFront();
    await first.getByLabel('Workspace').selectOption(shell.workspace_id);
    await first.getByRole('button', { name: 'Bind' }).click();
    await step(2, 'done');
    await first.getByRole('button', { name: 'Send it now' }).click();
    await step(3, 'done');
    const sent = chat.turns.filter(({ role }) => role === 'user').slice(1);
    expect(sent.map(({ text: words }) => words.includes('a first wake, sent by hand'))).toEqual([true]);
    expect(JSON.stringify((await product.stored())['herdr.auto'] ?? {})).not.toContain('true');
    const options = await product.own('options.html');
    await options.getByRole('button', { name: 'Test connection' }).click();
    await options.getByText('Everything answers.').waitFor();
    await Promise.all([page, first, options].map((one) => one.close()));
  });

  it('says that the native host is missing, which is another thing than a runtime that does not answer', async () => {
    verifies('extension.native-host');
    await product.unregister();
    await product.stopWorker();
    await until('missing', async () => (await product.state()).runtime === 'host_missing');
    const panel = await product.own('sidepanel.html');
    await panel.getByText('herdr-mcp native-host install', { exact: true }).waitFor();
    await product.register();
    await until('installed again', async () => (await product.state()).runtime === 'connected');
    await panel.getByText('Connected to this workstation').waitFor();
    await panel.close();
  });
});
