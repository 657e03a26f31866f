/** The page's look at its own health, in a real Chromium under a clock that the test moves. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RecoveryOrder } from '../../../extension/health.ts';
import { type ChatGpt, type Conversation, ORIGIN, openChatGpt } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { inChromium } from '../in-chromium.ts';
import type {} from './health-in-page.ts';

let browser: Browser;
let script: string;
let page: Page;
let site: ChatGpt;
let chat: Conversation;

beforeAll(async () => {
  ({ browser, script } = await inChromium(new URL('health-in-page.ts', import.meta.url)));
  const context = await browser.newContext();
  site = await openChatGpt(context);
  page = await context.newPage();
  await page.clock.install();
});
afterAll(() => browser.close());

beforeEach(async () => {
  Object.assign(site.faults, { snapshot: 'list', view: 'live' });
  chat = site.truth.conversation({ turns: [['user', 'Look at it.']] });
});

async function open(): Promise<void> {
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.waitForSelector('[data-message-id]');
  await page.addScriptTag({ content: script });
}

/** Looks, each so many ms after the last by the page's clock. */
async function watch(looks: number, ms = 1_000): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    await page.clock.fastForward(ms);
    await page.evaluate(() => window.glance());
  }
}

const examine = () => page.evaluate((key) => window.health.examine(key), `${ORIGIN}/c/${chat.id}`);
const evidence = async () => {
  const answer = await examine();
  if (!answer.ok) throw new Error(answer.reason);
  return answer.value.evidence;
};
const order = (part: Partial<RecoveryOrder>): RecoveryOrder => ({
  id: 'o1',
  act: 'retry',
  error: 'thread_error',
  stillMs: 0,
  ignoreStreaming: true,
  ...part,
});
const recover = (part: Partial<RecoveryOrder>) => page.evaluate((given) => window.health.recover(given), order(part));

describe('what is watched', () => {
  test('is time that passed before the page’s eyes: sleep and a jump of the clock are none', async () => {
    verifies('extension.recovery');
    await open();
    await watch(1);
    await watch(1, 3_600_000);
    expect((await evidence()).stillMs).toBeLessThanOrEqual(3_000);
    await watch(12);
    const seen = await evidence();
    expect(seen.stillMs).toBeGreaterThanOrEqual(11_000);
    expect(seen.stillMs).toBeLessThan(25_000);
    expect(seen).toMatchObject({ pending: true, draft: false, card: false, confirmed: false });
  });

  test('begins anew when the text grows, and not for an error or a Stop control', async () => {
    verifies('extension.recovery');
    const reply = site.reply(chat).write('One. ');
    await open();
    await watch(20);
    const before = (await evidence()).stillMs;
    reply.turn.notice = 'Connection lost.';
    site.truth.touch(chat);
    await page.getByText('Connection lost.').waitFor();
    await watch(1);
    const cut = await evidence();
    expect(cut.stillMs).toBeGreaterThan(before);
    reply.write('Two.');
    await page.getByText('Two.').waitFor();
    await watch(1);
    expect((await evidence()).stillMs).toBeLessThan(before);
  });

  test('an answer that the server calls complete, and that stands here whole, is confirmed', async () => {
    const reply = site.reply(chat).write('All of it.');
    await open();
    await page.getByText('All of it.').waitFor();
    await watch(1);
    expect((await evidence()).confirmed).toBe(false);
    reply.finish();
    await watch(1);
    expect((await evidence()).confirmed).toBe(true);
    site.faults.snapshot = 'broken';
    expect(await examine()).toMatchObject({ ok: true, value: { server: null, evidence: { confirmed: true } } });
  });

  test('trouble is told, and once that it is over', async () => {
    const reply = site.reply(chat).write('Still here.');
    await open();
    await watch(40);
    await page.evaluate(() => window.health.look());
    reply.write(' And on.').finish();
    await page.getByText('And on.').waitFor();
    await watch(1);
    for (let look = 0; look < 3; look += 1) await page.evaluate(() => window.health.look());
    const told = await page.evaluate(() => window.told.map(({ stillMs }) => stillMs >= 30_000));
    expect(told).toEqual([true, false]);
  });
});

describe('what is ordered', () => {
  test('is done once, however often it is told', async () => {
    verifies('extension.recovery');
    chat.threadError = 'Something went wrong.';
    await open();
    await watch(1);
    expect(await recover({})).toEqual({ ok: true, value: null });
    expect(await recover({})).toEqual({ ok: true, value: null });
    await page.waitForFunction(() => document.querySelector('[role=alert]') === null);
    expect(chat.retried).toBe(1);
    expect(chat.turns.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  test('is refused, and nothing is done, when it is no longer what the page says', async () => {
    chat.threadError = 'Something went wrong.';
    await open();
    await watch(2);
    const refusals = [
      await recover({ id: 'a', error: 'send_timeout' }),
      await recover({ id: 'b', act: 'reload', stillMs: 600_000 }),
    ];
    await page.evaluate(() => window.person.type('mine'));
    refusals.push(
      await recover({ id: 'c' }),
      await recover({ id: 'd', act: 'reload' }),
      await recover({ id: 'e', act: 'tab' }),
    );
    expect(refusals.map((answer) => (answer.ok ? 'done' : answer.reason))).toEqual([
      'nothing_to_recover',
      'nothing_to_recover',
      'user_typing',
      'user_typing',
      'user_typing',
    ]);
    expect(chat.retried).toBe(0);
    expect(await page.evaluate(() => window.person.draft())).toBe('mine');
  });

  test('a reload shows what the server has; a site that refuses is not even reloaded', async () => {
    site.reply(chat).write('Here.').finish();
    await open();
    await watch(1);
    await page.evaluate(() => window.health.hud({ rateLimitedUntil: Date.now() + 30_000 }));
    expect(await recover({ act: 'reload', error: null })).toEqual({ ok: false, reason: 'rate_limited' });
    await page.clock.fastForward(31_000);
    const loaded = page.waitForEvent('domcontentloaded');
    expect(await recover({ act: 'reload', error: null, id: 'o2' })).toEqual({ ok: true, value: null });
    await page.clock.fastForward(100);
    await loaded;
  });

  test('a reload that was agreed to and does not happen is said until it is heard, and refused from then on', async () => {
    verifies('extension.recovery');
    site.reply(chat).write('Here.').finish();
    await open();
    await watch(1);
    const agreed = await page.evaluate(
      (given) => {
        window.deaf = true;
        const answer = window.health.recover(given);
        // Between the page's yes and its reload a person begins to write.
        window.person.type('mine');
        return answer;
      },
      order({ act: 'reload', error: null, id: 'o3' }),
    );
    expect(agreed).toEqual({ ok: true, value: null });
    await page.clock.fastForward(100);
    await page.waitForFunction(() => window.declined.length > 1);
    expect(await page.evaluate(() => window.declined)).toEqual(['o3 user_typing', 'o3 user_typing']);
    expect(await recover({ act: 'reload', error: null, id: 'o3' })).toEqual({ ok: false, reason: 'user_typing' });
    expect(await page.evaluate(() => window.person.draft())).toBe('mine');
  });

  test('a request of the page itself that is answered 429 is heard', async () => {
    verifies('extension.back-off');
    site.reply(chat).write('Here.').finish();
    site.faults.snapshot = 'rate_limited';
    await open();
    await watch(1);
    await examine();
    await page.evaluate(() => window.health.look());
    await page.waitForFunction(() => window.refusals > 0);
    expect(await page.evaluate(() => window.health.isHeld())).toBe(true);
  });
});
