/** The chat page in a real Chromium: what is sent, what is left alone, and what a person sees. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import { type Conversation, ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
let page: Page;
let chat: Conversation;
let workspace: string;

beforeAll(async () => {
  product = await startProduct();
  const shell = await product.agent('worker');
  workspace = shell.workspace_id;
}, 120_000);
afterAll(() => product.end());

beforeEach(async () => {
  Object.assign(product.site.faults, { send: 'accept', view: 'live', snapshot: 'list' });
  await page?.close();
  chat = product.site.truth.conversation({
    turns: [
      ['user', 'hello'],
      ['assistant', 'hi'],
    ],
  });
  page = await product.context.newPage();
  await page.goto(`${ORIGIN}/c/${chat.id}`);
  await page.waitForSelector('[data-herdr="bar"] [data-action="continue"]');
  const bound = await product.panel('panel.bind', { tab: await product.tabOf(page), workspace });
  expect(bound).toEqual({ ok: true, value: null });
  // What the agents do now is where a binding begins.
  await until('the state', async () =>
    (await product.state(await product.tabOf(page))).workspaces.some(
      ({ id, status }) => id === workspace && status !== 'unknown',
    ),
  );
});

const bar = (selector: string) => page.locator(`[data-herdr="bar"] ${selector}`);
const queue = () => page.locator('[data-herdr="queue"] button');
const type = (text: string) => page.evaluate((given) => window.person.type(given), text);
const draft = () => page.evaluate(() => window.person.draft());
const users = () => chat.turns.filter(({ role }) => role === 'user').map(({ text }) => text);

describe('a page that the browser kept while its tab showed another one', () => {
  it('says again which chat it is: the worker took its tab for the other', async () => {
    verifies('extension.wake');
    const worker = await product.worker();
    const tab = await product.tabOf(page);
    const known = async () => {
      const { 'herdr.tabs': tabs = {} } = await worker.evaluate(() => chrome.storage.session.get('herdr.tabs'));
      return (tabs as Record<string, { page: { conversation: string | null } }>)[tab]?.page.conversation ?? null;
    };
    expect(await known()).toBe(`${ORIGIN}/c/${chat.id}`);
    // It says nothing by itself: nothing of it has changed.
    await worker.evaluate(() => chrome.storage.session.remove('herdr.tabs'));
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await until('it has said where it is', async () => (await known()) !== null);
  });
});

describe('a message that a person asks for', () => {
  it('is sent once, as one new turn', async () => {
    verifies('extension.wake');
    await bar('[data-action="continue"]').click();
    await until('the turn', () => users().length === 2);
    await until('confirmed', async () => (await bar('.state').allTextContents()).every((text) => !/sent/.test(text)));
    expect(users()).toHaveLength(2);
    expect(await draft()).toBe('');
  });

  it('is asked for by a person, never by a script of the page', async () => {
    verifies('extension.buttons');
    await page.evaluate(() => {
      for (const host of document.querySelectorAll('[data-herdr]')) {
        for (const button of host.shadowRoot?.querySelectorAll('button') ?? []) button.click();
      }
    });
    // Were Auto on by now, Continue would be locked.
    await bar('[data-action="continue"]').click();
    await until('the turn', () => users().length === 2);
    await bar('button').filter({ hasText: 'Auto off' }).waitFor();
    expect(users()).toHaveLength(2);
  });

  it('never replaces a draft, and says why', async () => {
    await type('half a thought');
    await bar('[data-action="continue"]').click();
    await bar('.state').filter({ hasText: 'your own text stands in the composer' }).waitFor();
    expect(await draft()).toBe('half a thought');
    expect(users()).toEqual(['hello']);
  });

  it('that was pressed and never seen is uncertain and is not pressed again', async () => {
    verifies('extension.wake');
    product.site.faults.send = 'swallow';
    await bar('[data-action="continue"]').click();
    await bar('.state').filter({ hasText: 'not certain' }).waitFor({ timeout: 60_000 });
    product.site.faults.send = 'accept';
    await product.stopWorker();
    await page.reload();
    await page.waitForSelector('[data-herdr="bar"] [data-action="continue"]');
    expect(users()).toEqual(['hello']);
    expect(product.site.requests.filter((asked) => asked === 'POST /backend-api/conversation').length).toBeGreaterThan(
      0,
    );
  });

  it('that the server has and the page does not show is found at the server', async () => {
    product.site.faults.send = 'accept_unanswered';
    product.site.faults.view = 'frozen';
    await bar('[data-action="continue"]').click();
    await until('the turn', () => users().length === 2);
    await until('known to be sent', async () =>
      Object.values((await product.stored()) as Record<string, unknown>).some((part) =>
        JSON.stringify(part).includes('"state":"sent"'),
      ),
    );
    expect(users()).toHaveLength(2);
  });
});

describe('a chat that names a connector', () => {
  it('is answered by messages that name the same one, found in the menu again', async () => {
    product.site.looks.connectors = ['Herdr home', 'Herdr work'];
    await page.evaluate(() => window.person.pick('Herdr work'));
    await page.locator('#prompt-textarea').click();
    await page.keyboard.type('look at the parser');
    await page.keyboard.press('Enter');
    await until('the person’s turn', () => users().length === 2);
    product.site.reply(chat).write('I have looked.').finish();
    await until('learnt', async () => JSON.stringify(await product.stored()).includes('"connector":"Herdr work"'));
    await bar('[data-action="continue"]').click();
    await until('our turn', () => users().length === 3);
    expect(chat.turns.filter(({ role }) => role === 'user').map(({ pills }) => pills)).toEqual([
      [],
      ['Herdr work'],
      ['Herdr work'],
    ]);
  });
});

describe('the Queue', () => {
  it('keeps what was written while an answer runs, and sends it when the turn is over', async () => {
    verifies('extension.queue');
    const reply = product.site.reply(chat).write('working');
    await page.waitForSelector('[data-testid="stop-button"]');
    await type('and then\n\nthis');
    await queue().click();
    await queue().filter({ hasText: 'Queue (1)' }).waitFor();
    await until('an empty composer', async () => (await draft()) === '');
    await type('second');
    await queue().click();
    await queue().filter({ hasText: 'Queue (2)' }).waitFor();
    expect(users()).toEqual(['hello']);
    await product.stopWorker();
    reply.write(' done').finish();
    await until('the queued turn', () => users().length === 2);
    expect(users()[1]).toBe('and then\n\nthis\n\nsecond');
    await queue()
      .filter({ hasText: /^Queue$/ })
      .waitFor();
    expect(users()).toHaveLength(2);
  });
});

describe('the Queue, by its button', () => {
  it('is cleared by a right click and a yes: nothing of it is sent', async () => {
    verifies('extension.queue');
    const reply = product.site.reply(chat).write('working');
    await page.waitForSelector('[data-testid="stop-button"]');
    await type('not any more');
    await queue().click();
    await queue().filter({ hasText: 'Queue (1)' }).waitFor();
    await until('an empty composer', async () => (await draft()) === '');
    page.once('dialog', (question) => void question.accept());
    await queue().click({ button: 'right' });
    await queue()
      .filter({ hasText: /^Queue$/ })
      .waitFor();
    reply.write(' done').finish();
    await page.waitForSelector('[data-testid="stop-button"]', { state: 'detached' });
    // What is sent now is sent alone: had anything been kept, it would stand in front of it.
    await bar('[data-action="continue"]').click();
    await until('the turn', () => users().length === 2);
    expect(users()[1]).not.toContain('not any more');
  });
});

describe('permission cards', () => {
  it('of Herdr get their one-time allow, and another’s stays a person’s', async () => {
    verifies('extension.cards');
    const reply = product.site.reply(chat).write('I will look.');
    const ours = reply.ask('Allow herdr_exec to run?', ['Always allow', 'Allow', 'Deny']);
    const other = reply.ask('Allow mailer_send to run?', ['Allow', 'Deny']);
    await until('allowed', () => ours.pressed.length > 0);
    expect(ours.pressed).toEqual(['Allow']);
    expect(other.pressed).toEqual([]);
    reply.finish();
  });
});

describe('the bar', () => {
  it('shows the bound work fresh, also when nothing can be sent', async () => {
    await type('my draft');
    await bar('[data-action="check"]').click();
    const seen = bar('[data-part="seen"]');
    await seen.waitFor();
    expect(await seen.textContent()).toContain('worker');
    await bar('.state').filter({ hasText: 'your own text stands in the composer' }).waitFor();
    expect(await draft()).toBe('my draft');
  });

  it('names every control, and says of each locked one why', async () => {
    const buttons = await bar('button').evaluateAll((all) =>
      all.map((button) => ({
        text: button.textContent,
        locked: button.getAttribute('aria-disabled'),
        why: button.getAttribute('title') ?? '',
      })),
    );
    expect(buttons.every(({ text }) => (text ?? '').trim() !== '')).toBe(true);
    expect(buttons.filter(({ locked }) => locked === 'true').every(({ why }) => why !== '')).toBe(true);
    // No chat model is configured here, so none is offered.
    expect(buttons.map(({ text }) => text)).toEqual(['Continue', 'Check Herdr', 'Handoff', 'Auto off']);
  });
});
