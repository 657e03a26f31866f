/**
 * A site that asks before it is left, in a real Chromium: a person who stays has lost no budget, is not asked again by the
 * same trouble, and may have the page loaded anew by hand.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product?.end());

interface Health {
  phase: string;
  hold: string | null;
  reloads: number;
  reloadedAt: number | null;
  order: { id: string } | null;
}

it('costs nothing when the person stays, is then only offered, and is done when the person leaves', async () => {
  verifies('extension.recovery');
  const { truth } = product.site;
  const chat = truth.conversation({
    title: 'Asks',
    turns: [
      ['user', 'Hello?'],
      ['assistant', 'A first answer.'],
    ],
  });
  const page = await product.context.newPage();
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  let [asked, leaves] = [0, false];
  page.on('dialog', (dialog) => {
    asked += 1;
    expect(dialog.type()).toBe('beforeunload');
    void (leaves ? dialog.accept() : dialog.dismiss());
  });
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.waitForSelector('[data-herdr="bar"] [data-action="continue"]');
  const { workspace_id: workspace } = await product.agent('worker');
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace });
  await page.locator('[data-action="auto"]').click();
  await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
  await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()));
  const health = async () => {
    const { 'herdr.recovery': recovery } = (await product.stored()) as {
      'herdr.recovery': { chats: Record<string, Health> };
    };
    return recovery.chats[`${ORIGIN}/c/${chat.id}`];
  };

  // The page looks finished while its server has more: one reload would help.
  truth.accept(chat, 'Please look at it.', []);
  const reply = product.site.reply(chat).write('It looks complete.');
  reply.turn.status = 'finished_successfully';
  truth.touch(chat);
  await page.getByText('It looks complete.').first().waitFor();
  chat.frozen = true;
  reply.turn.status = 'in_progress';
  reply.write(' It is not: the server has written much more than that meanwhile.');

  await until('the site has asked', () => asked === 1, 120_000);
  const kept = await until('it is told', async () => {
    const now = await health();
    return now?.hold === 'leave_declined' ? now : undefined;
  });
  expect(kept).toMatchObject({ phase: 'held', reloads: 0, reloadedAt: null, order: null });
  const offer = page.locator('[data-action="recover"]');
  await offer.waitFor({ timeout: 120_000 });
  expect(await health()).toMatchObject({ phase: 'offered', reloads: 0 });
  expect([asked, loads]).toEqual([1, 1]);

  // The browser's own reload of the tab is asked about by the site in the same way.
  const tab = await product.tabOf(page);
  const loading = (id: number) =>
    product.worker().then((worker) => worker.evaluate(async (one) => (await chrome.tabs.get(one)).status, id));
  const worker = await product.worker();
  await worker.evaluate((id) => chrome.tabs.reload(id), tab);
  await until('the site has asked once more', () => asked === 2);
  await until('nothing is loaded', async () => (await loading(tab)) === 'complete');
  expect(loads).toBe(1);

  leaves = true;
  await offer.click();
  await until('loaded anew', () => loads === 2);
  expect(asked).toBe(3);
  await page.getByText('much more than that').first().waitFor();
  expect(await health()).toMatchObject({ reloads: 1 });

  // Who leaves is on the way out for as long as the site takes: that is no staying.
  await page.locator('#prompt-textarea').click();
  await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()));
  let answer = () => {};
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await product.context.route(`${ORIGIN}/c/${chat.id}`, async (route) => {
    await slow;
    await route.fallback();
  });
  await worker.evaluate((id) => chrome.tabs.reload(id), tab);
  await until('the site has asked again', () => asked === 4);
  await page.waitForTimeout(1_000);
  expect([await loading(tab), loads]).toEqual(['loading', 2]);
  answer();
  await until('it has left', () => loads === 3);
});
