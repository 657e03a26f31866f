/** The adapters of z.ai and DeepSeek against their stand-ins in a real Chromium: what a table cannot show. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseReply } from '../../../extension/machines/bridge/grammar.ts';
import { deepseekAddress } from '../../../extension/sites/deepseek/index.ts';
import { zaiAddress } from '../../../extension/sites/zai/index.ts';
import type { Conversation, PlainSite } from '../../sites/base/index.ts';
import { openDeepSeek } from '../../sites/deepseek/index.ts';
import { openZai } from '../../sites/zai/index.ts';
import { verifies } from '../../verifies.ts';
import { call, fenced } from '../bridge/chat.ts';
import { inChromium } from '../in-chromium.ts';

const UUID = '5b0f6f4e-1111-4222-8333-444455556666';

describe('an address', () => {
  test.each([
    [zaiAddress, 'https://chat.z.ai/', 'root', null],
    [zaiAddress, 'https://chat.z.ai/c/ab-12', 'conversation', 'https://chat.z.ai/c/ab-12'],
    [zaiAddress, 'https://chat.z.ai/c/ab-12?x=1#y', 'conversation', 'https://chat.z.ai/c/ab-12'],
    [zaiAddress, 'https://chat.z.ai/c/', null, null],
    [zaiAddress, 'https://chat.z.ai/s/ab-12', null, null],
    [zaiAddress, 'https://chat.z.ai/c/ab-12/edit', null, null],
    [zaiAddress, 'https://z.ai/c/ab-12', null, null],
    [zaiAddress, 'https://chat.z.ai.example/c/ab-12', null, null],
    [deepseekAddress, 'https://chat.deepseek.com/', 'root', null],
    [
      deepseekAddress,
      `https://chat.deepseek.com/a/chat/s/${UUID}`,
      'conversation',
      `https://chat.deepseek.com/a/chat/s/${UUID}`,
    ],
    [
      deepseekAddress,
      `https://chat.deepseek.com/a/chat/s/${UUID.toUpperCase()}`,
      'conversation',
      `https://chat.deepseek.com/a/chat/s/${UUID}`,
    ],
    [deepseekAddress, 'https://chat.deepseek.com/a/chat/s/1', null, null],
    [deepseekAddress, 'https://chat.deepseek.com/a/chat', null, null],
    [deepseekAddress, `https://chat.deepseek.com/share/${UUID}`, null, null],
    [deepseekAddress, 'https://chat.deepseek.com/sign_in', null, null],
    [deepseekAddress, `http://chat.deepseek.com/a/chat/s/${UUID}`, null, null],
  ] as const)('%o of %s is %s', (read, url, place, conversation) => {
    verifies('bridge.sites');
    const found = read(new URL(url));
    expect(found && { place: found.place, conversation: found.conversation }).toEqual(
      place === null ? null : { place, conversation },
    );
  });
});

let browser: Browser;
let script: string;

beforeAll(async () => {
  ({ browser, script } = await inChromium(new URL('in-page.ts', import.meta.url)));
}, 60_000);
afterAll(() => browser.close());

describe.each([
  { name: 'z.ai', open: openZai, unnamed: 'uncertain' },
  { name: 'DeepSeek', open: openDeepSeek, unnamed: 'sent' },
])('$name', ({ name, open, unnamed }) => {
  let context: BrowserContext;
  let site: PlainSite;
  let page: Page;
  let chat: Conversation;

  beforeAll(async () => {
    context = await browser.newContext();
    site = await open(context);
    page = await context.newPage();
  }, 60_000);
  afterAll(() => context.close());
  beforeEach(() => {
    Object.assign(site.looks, { ids: 'usual', names: 'usual' });
    Object.assign(site.faults, { send: 'accept', view: 'live' });
    site.sent.length = 0;
    chat = site.truth.conversation({
      title: 'The parser',
      turns: [
        ['user', 'Hello'],
        ['assistant', 'Hello to you.'],
      ],
    });
  });

  async function shown(): Promise<void> {
    await page.goto(site.address(chat));
    await page.waitForSelector('body[data-ready]', { state: 'attached' });
    await page.addScriptTag({ content: script });
  }
  const messages = () => page.evaluate(() => window.site.adapter.messages().found?.mounted ?? []);

  test('takes a long text whole, line by line, and gives it back as it was written', async () => {
    verifies('bridge.sites', 'bridge.json');
    await shown();
    const text = `[mark]\nTOOL_RESULT:\n${JSON.stringify([{ a: '  two  spaces * _x_ $1 <b> 日本語\n', b: 'x'.repeat(20_000) }])}\n\nend`;
    site.answer = (reply) => void reply.write('fine').finish();
    const outcome = await page.evaluate((given) => window.site.deliver(given, 250), text);
    expect(outcome.state).toBe('sent');
    expect(site.sent).toEqual([text]);
    const user = (await messages()).findLast(({ role }) => role === 'user');
    expect(user?.text).toBe(text);
    expect(user?.id).not.toBeNull();
  });

  test('leaves a person who composes with an input method alone: what is composed is a draft, and Enter chooses its words', async () => {
    verifies('bridge.json', 'extension.composing');
    await shown();
    const heard = await page.evaluateHandle(() => window.site.listen());
    await page.evaluate(() => window.site.adapter.composer().found?.focus());
    const keys = await page.context().newCDPSession(page);
    await keys.send('Input.imeSetComposition', { text: '変換', selectionStart: 2, selectionEnd: 2 });
    expect(await page.evaluate(() => window.site.adapter.draft().found)).toBe('変換');
    expect(await page.evaluate(() => window.site.deliver('ours', 10))).toMatchObject({ reason: 'user_typing' });
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await keys.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    await keys.send('Input.insertText', { text: '変換' });
    expect(await heard.jsonValue()).toEqual({ seen: 0, taken: [] });
    expect(site.sent).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await heard.jsonValue()).toEqual({ seen: 0, taken: ['変換'] });
    await keys.detach();
  });

  test('reads calls out of a code block exactly, and not what the model thought', async () => {
    verifies('bridge.sites', 'bridge.json');
    const edit = call('herdr_fs_edit', {
      path: '/a',
      old_string: '*.o $x \\ _y_',
      new_string: 'rm *.o *.a "q" \t$HOME',
    });
    site
      .reply(chat)
      .write(`I *change* it.\n\n${fenced(edit)}`)
      .finish();
    await shown();
    const text = (await messages()).at(-1)?.text ?? '';
    const parsed = parseReply(text);
    expect(parsed).toEqual({ kind: 'calls', calls: [{ ...(JSON.parse(edit) as object), fenced: true }] });
    expect(text).not.toContain('herdr_exec');
    // Outside of a block the page has taken characters away; the reader can tell that it was none.
    site
      .reply(chat)
      .write(call('herdr_exec', { command: 'rm *.o *.a' }))
      .finish();
    await shown();
    const loose = parseReply((await messages()).at(-1)?.text ?? '');
    expect(loose).toMatchObject({ kind: 'calls', calls: [{ fenced: false }] });
    expect(JSON.stringify(loose)).not.toContain('*');
    // Of a long line this page may draw a part only: that is whole, or it is not read.
    const long = call('herdr_fs_write', { path: '/a', content: 'line of text '.repeat(2_000) });
    site.reply(chat).write(fenced(long)).finish();
    await shown();
    expect(parseReply((await messages()).at(-1)?.text ?? '')).toEqual(
      name === 'z.ai'
        ? { kind: 'flawed', flaw: 'incomplete' }
        : { kind: 'calls', calls: [{ ...(JSON.parse(long) as object), fenced: true }] },
    );
  });

  test('while the model thinks or writes it is not done', async () => {
    verifies('bridge.sites');
    const reply = site.reply(chat);
    await shown();
    expect(await page.evaluate(() => window.site.adapter.streaming())).toEqual({ found: true });
    reply.write('More');
    await expect.poll(async () => (await messages()).at(-1)?.text).toBe('More');
    expect(await page.evaluate(() => window.site.adapter.streaming())).toEqual({ found: true });
    reply.finish();
    await expect.poll(() => page.evaluate(() => window.site.adapter.streaming().found)).toBe(false);
  });

  test(`where messages have no names, none is made up; a message with an answer behind it is ${unnamed}`, async () => {
    verifies('bridge.sites');
    site.looks.ids = 'none';
    site.answer = (reply) => void reply.write('fine').finish();
    await shown();
    const ms = unnamed === 'sent' ? 250 : 5;
    const outcome = await page.evaluate(([given, pause]) => window.site.deliver(given, pause), ['ours', ms] as const);
    expect(outcome).toMatchObject({ state: unnamed });
    if (outcome.state === 'sent') expect(outcome.messageId).toBeNull();
    expect((await messages()).every(({ id }) => id === null)).toBe(true);
    site.faults.send = 'swallow';
    expect(await page.evaluate((given) => window.site.deliver(given, 5), 'ours too')).toMatchObject({
      state: 'uncertain',
    });
    expect(site.sent).toEqual(['ours', 'ours too']);
  });

  test('says which of its messages are a person’s only by what they lack', async () => {
    verifies('bridge.turns-proved');
    await shown();
    const lacking = async () => (await messages()).map(({ role, byLack }) => [role, byLack === true]);
    const byLack = name === 'DeepSeek';
    expect(await lacking()).toEqual([
      ['user', byLack],
      ['assistant', false],
    ]);
    if (!byLack) return;
    // What the site itself puts there has no mark of an answer either.
    await page.evaluate(() => {
      const last = [...document.querySelectorAll('.ds-message')].at(-1)?.parentElement;
      const notice = document.createElement('div');
      notice.setAttribute('data-virtual-list-item-key', '9');
      notice.innerHTML = '<div class="ds-message">The server is busy.</div>';
      last?.after(notice);
    });
    expect((await messages()).at(-1)).toMatchObject({ role: 'user', text: 'The server is busy.', byLack: true });
  });

  test('a person’s draft is left alone', async () => {
    verifies('bridge.sites');
    await shown();
    await page.evaluate(() => window.visitor.type('my own words'));
    expect(await page.evaluate(() => window.site.deliver('ours', 250))).toEqual({
      state: 'blocked',
      reason: 'user_typing',
    });
    expect(await page.evaluate(() => window.visitor.draft())).toBe('my own words');
    expect(site.sent).toEqual([]);
  });
});
