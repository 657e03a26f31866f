/** Pictures of the whole product at work: a real chat page, the real way to a real workspace. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../runtime-a-b/support/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { startProduct } from '../browser/product.ts';

/** The folder of this run says nothing to whoever looks at the picture: a project's stands there instead. */
async function showFolder(page: Page, from: string, to: string): Promise<void> {
  await page.evaluate(
    ([was, now]) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        if (text.data.includes(was)) text.data = text.data.replaceAll(was, now);
      }
    },
    [from, to] as const,
  );
}

/** Writes PNG files into `folder` and returns their paths. */
export async function takeProduct(folder: string): Promise<string[]> {
  const product = await startProduct({ agentSeconds: 4 });
  const taken: string[] = [];
  async function take(page: Page, name: string): Promise<void> {
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    taken.push(path);
  }
  try {
    const shell = await product.agent('builder');
    const { site } = product;
    const chat = site.truth.conversation({
      title: 'Parser',
      turns: [
        ['user', 'Let the builder fix the parser, please.'],
        [
          'assistant',
          'I gave the task to the builder in your workspace.\n\nI will look at its result when it is done.',
        ],
      ],
    });
    site.answer = (reply) => reply.write('Its work is done. I am reading the difference now.').finish();
    const page = await product.context.newPage();
    await page.setViewportSize({ width: 1100, height: 640 });
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    await page.waitForSelector('[data-herdr="bar"] [data-action="continue"]');
    const tab = await product.tabOf(page);
    await product.panel('panel.bind', { tab, workspace: shell.workspace_id });
    await page.locator('[data-herdr="bar"] [data-action="auto"]').waitFor();
    await page.locator('[data-herdr="bar"] .state.good').waitFor();
    await take(page, 'bar-bound');

    await page.locator('[data-herdr="bar"] [data-action="check"]').click();
    await page.locator('[data-herdr="bar"] [data-part="seen"]').waitFor();
    await until('the check was sent', () => chat.turns.length >= 4);
    await page.getByText('Its work is done').waitFor();
    // The answer of this site comes at once, before the message itself was seen to have arrived.
    await page.locator('[data-herdr="bar"]').getByText('A message is being sent').waitFor({ state: 'detached' });
    await showFolder(page, product.herdr.work, '/home/ada/work/parser');
    await take(page, 'bar-check');
    await page.locator('[data-herdr="bar"] [data-part="seen"] button').click();

    const reply = site.reply(chat).write('I am reading the difference of the workspace now.');
    await page.waitForSelector('[data-testid="stop-button"]');
    await page.evaluate(() => window.person.type('Then run the tests as well.'));
    await page.locator('[data-herdr="queue"] button').click();
    await page.locator('[data-herdr="queue"] button').filter({ hasText: '(1)' }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await take(page, 'queue-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    reply.finish();
    await page.setViewportSize({ width: 480, height: 640 });
    await take(page, 'bar-narrow');
  } finally {
    await product.end();
  }
  return taken;
}
