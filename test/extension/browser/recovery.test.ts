/**
 * A page that lost something, in a real Chromium with the real worker: what is healed, what is left alone, and what a site
 * that refuses is asked. The troubles wait for the same half minute together, each in a tab of its own.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Recovery } from '../../../extension/machines/recovery/index.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { type Conversation, ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
let workspace: string;
beforeAll(async () => {
  product = await startProduct();
  workspace = (await product.agent('worker')).workspace_id;
});
afterAll(() => product.end());

interface Open {
  chat: Conversation;
  page: Page;
  loads(): number;
  line(): Promise<string>;
}

/** A chat in a tab of its own, bound, with Auto on or off. */
async function open(title: string, auto: boolean): Promise<Open> {
  const chat = product.site.truth.conversation({
    title,
    turns: [
      ['user', `${title}?`],
      ['assistant', 'A first answer.'],
    ],
  });
  const page = await product.context.newPage();
  let loaded = 0;
  page.on('domcontentloaded', () => {
    loaded += 1;
  });
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.waitForSelector('[data-herdr="bar"] [data-action="continue"]');
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace });
  if (auto) {
    await page.locator('[data-action="auto"]').click();
    await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
  }
  const recovery = page.locator('[data-part="recovery"]');
  return {
    chat,
    page,
    loads: () => loaded,
    line: async () => ((await recovery.count()) === 0 ? '' : ((await recovery.textContent()) ?? '')),
  };
}

/** The server has the person's turn; what the page shows of it, and of its answer, is another matter. */
function ask(one: Open, text = 'Please look at it.'): void {
  product.site.truth.accept(one.chat, text, []);
}

const answers = ({ chat }: Open) => chat.turns.filter(({ role }) => role === 'assistant').map(({ text }) => text);
const users = ({ chat }: Open) => chat.turns.filter(({ role }) => role === 'user').length;
const shows = (one: Open, text: string) => one.page.getByText(text).first().waitFor({ timeout: 90_000 });

describe('recovery', () => {
  it('heals what can be healed without sending anything, and leaves the rest to a person', async () => {
    verifies('extension.recovery', 'extension.page-health');
    const [refusedOnce, accepted, cut, stale, drafted, byHand] = await Promise.all([
      open('Not accepted', true),
      open('Accepted', true),
      open('Cut', true),
      open('Stale', true),
      open('Draft', true),
      open('By hand', false),
    ]);

    // The server has the turn and no answer: the site's own Retry, once.
    ask(refusedOnce);
    refusedOnce.chat.threadError = 'Something went wrong.';

    // The site says that sending took too long; its server has accepted, and answered.
    ask(accepted);
    accepted.chat.threadError = 'The request timed out.';
    await shows(accepted, 'The request timed out.');
    accepted.chat.frozen = true;
    product.site.reply(accepted.chat).write('The answer that this page never heard of.').finish();
    accepted.chat.threadError = null;

    // The answer's stream is cut; the server goes on.
    ask(cut);
    const cutReply = product.site.reply(cut.chat).write('The first half of a long answer, ');
    cutReply.turn.notice = 'Connection lost. Waiting for the full response…';
    cutReply.write('which stops here.');
    await shows(cut, 'Connection lost.');
    cut.chat.frozen = true;
    cutReply.turn.notice = null;
    cutReply.write(' And here is the second half of it, which only the server has.').finish();

    // The page reports nothing wrong and looks finished, while the server still writes.
    ask(stale);
    const staleReply = product.site.reply(stale.chat).write('It looks complete.');
    staleReply.turn.status = 'finished_successfully';
    product.site.truth.touch(stale.chat);
    await shows(stale, 'It looks complete.');
    stale.chat.frozen = true;
    staleReply.turn.status = 'in_progress';
    staleReply.write(' It is not: the server has written much more than that meanwhile.');

    // A person writes: nothing is reloaded over it.
    await drafted.page.evaluate(() => window.person.type('half a thought'));
    drafted.chat.threadError = 'Something went wrong.';

    byHand.chat.threadError = 'Something went wrong.';
    byHand.chat.retry = true;
    product.site.truth.changed();

    await until('Retry, once', () => refusedOnce.chat.retried === 1);
    await until('its answer', () => answers(refusedOnce).length === 2);
    await shows(accepted, 'The answer that this page never heard of.');

    // With Auto off it is offered, and a person takes it.
    const offer = byHand.page.locator('[data-action="recover"]');
    await offer.waitFor({ timeout: 60_000 });
    expect(await byHand.line()).toContain('Auto does nothing here now');
    expect(byHand.loads()).toBe(1);
    byHand.chat.threadError = null;
    byHand.chat.frozen = true;
    await offer.click();
    await until('loaded anew', () => byHand.loads() === 2);

    // The worker is ended on the way: it goes on from what is written down.
    await product.stopWorker();
    await shows(cut, 'which only the server has.');
    await shows(stale, 'much more than that');

    await until('held for the draft', async () => /your own text stands/.test(await drafted.line()));
    expect(await drafted.page.evaluate(() => window.person.draft())).toBe('half a thought');
    expect(drafted.loads()).toBe(1);
    expect(drafted.chat.retried).toBe(0);
    // Nothing of what the site shows was taken away to make it lighter.
    expect(await drafted.page.locator('[data-message-id]').count()).toBe(drafted.chat.turns.length);

    expect([accepted, cut, stale, byHand].map(({ loads }) => loads())).toEqual([2, 2, 2, 2]);
    expect(refusedOnce.loads()).toBe(1);
    expect([accepted, cut, stale, drafted, byHand].map(({ chat }) => chat.retried)).toEqual([0, 0, 0, 0, 0]);
    expect([refusedOnce, accepted, cut, stale].map(users)).toEqual([2, 2, 2, 2]);
    expect([drafted, byHand].map(users)).toEqual([1, 1]);
    expect(product.site.requests.filter((asked) => asked.startsWith('POST'))).toEqual([]);
    // What is asked in ordinary times; the next test looks for its absence.
    expect(product.site.requests.filter((asked) => asked.startsWith('GET /backend-api/conversations/'))).not.toEqual(
      [],
    );
    await Promise.all([refusedOnce, accepted, cut, stale, drafted, byHand].map(({ page }) => page.close()));
  });

  it('asks a site that refuses for nothing, says so, and lets a person go on', async () => {
    verifies('extension.recovery', 'extension.back-off');
    const [busy, other, third] = await Promise.all(
      ['Refused', 'Another tab', 'A third tab'].map((title) => open(title, true)),
    );
    if (!busy || !other || !third) throw new Error('a tab is missing');
    await until('nothing is asked any more', async () => {
      const before = product.site.requests.length;
      await busy.page.waitForTimeout(1_500);
      return product.site.requests.length === before;
    });
    product.site.faults.send = 'rate_limited';
    await busy.page.evaluate(() => window.person.type('too fast'));
    await busy.page.locator('[data-testid="send-button"]').click();
    const line = busy.page.locator('[data-part="rate-limited"]');
    await line.waitFor();
    await other.page.locator('[data-part="rate-limited"]').waitFor();
    const { recovery } = Object.fromEntries(
      Object.entries(await product.stored()).map(([key, value]) => [key.replace('herdr.', ''), value]),
    ) as { recovery: Recovery };
    const since = Date.now();
    const over = recovery.backOff.chatgpt?.until ?? 0;
    expect(over).toBeGreaterThan(since);

    // All that would be asked about: an answer that ends, an error card, a chat of which nothing is known, a reload.
    product.site.faults.send = 'accept';
    ask(other);
    product.site.reply(other.chat).write('An answer that ends during the pause.').finish();
    await shows(other, 'during the pause');
    busy.chat.threadError = 'Something went wrong.';
    product.site.truth.touch(busy.chat);
    await until('found', async () => /shows an error/.test(await busy.line()));
    const unknown = product.site.truth.conversation({
      title: 'Unknown',
      turns: [
        ['user', 'who?'],
        ['assistant', 'nobody'],
      ],
    });
    await third.page.evaluate((id) => window.person.go(`/c/${id}`), unknown.id);
    await third.page.locator('[data-part="rate-limited"]').waitFor();
    // Thrice the time in which a turn that ends, or an error card, is asked about.
    await other.page.waitForTimeout(12_000);
    const asked = product.site.requests.filter((_, index) => {
      const at = product.site.requestedAt[index] ?? 0;
      return at > since && at < over;
    });
    expect(asked).toEqual([]);
    expect([busy.loads(), other.loads(), busy.chat.retried]).toEqual([1, 1, 0]);

    // A person is not held back: only what is automatic is.
    busy.chat.threadError = null;
    await busy.page.evaluate(() => window.person.type('my own words'));
    await busy.page.locator('[data-testid="send-button"]').click();
    await until('sent by hand', () => users(busy) === 2);
  });
});
