/** The adapters of Claude, Gemini and Grok against their stand-ins in a real Chromium. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Conversation, PlainSite } from '../../sites/base/index.ts';
import { openClaude } from '../../sites/claude/index.ts';
import { openGemini } from '../../sites/gemini/index.ts';
import { openGrok } from '../../sites/grok/index.ts';
import { verifies } from '../../verifies.ts';
import { inChromium } from '../in-chromium.ts';

const ID = '5b0f6f4e-1111-4222-8333-444455556666';
const PROJECT = '0a1b2c3d-aaaa-4bbb-8ccc-ddddeeeeffff';

let browser: Browser;
let context: BrowserContext;
let script: string;

beforeAll(async () => {
  ({ browser, script } = await inChromium(new URL('in-page.ts', import.meta.url)));
  context = await browser.newContext();
});
afterAll(() => browser.close());

const SITES = [
  {
    name: 'claude',
    open: openClaude,
    addresses: [
      ['/', 'root', null],
      ['/new', 'root', null],
      [`/chat/${ID}`, 'conversation', `https://claude.ai/chat/${ID}`],
      [`/chat/${ID.toUpperCase()}?q=1#x`, 'conversation', `https://claude.ai/chat/${ID}`],
      ['/chat/not-a-uuid', null, null],
      ['/settings/profile', null, null],
      [`/project/${PROJECT}`, null, null],
    ],
  },
  {
    name: 'gemini',
    open: openGemini,
    addresses: [
      ['/app', 'root', null],
      ['/app/0123456789abcdef', 'conversation', 'https://gemini.google.com/app/0123456789abcdef'],
      ['/u/1/app/0123456789abcdef', 'conversation', 'https://gemini.google.com/app/0123456789abcdef'],
      ['/u/1/spark/chat/0123456789abcdef', 'conversation', 'https://gemini.google.com/spark/chat/0123456789abcdef'],
      ['/app/download', 'conversation', 'https://gemini.google.com/app/download'],
      ['/app/faq', null, null],
      ['/share/0123456789abcdef', null, null],
    ],
  },
  {
    name: 'grok',
    open: openGrok,
    addresses: [
      ['/', 'root', null],
      [`/c/${ID}`, 'conversation', `https://grok.com/c/${ID}`],
      [`/project/${PROJECT}?chat=${ID}`, 'conversation', `https://grok.com/c/${ID}`],
      [`/project/${PROJECT}?chat=${ID}&chat=${PROJECT}`, null, null],
      [`/project/${PROJECT}`, null, null],
      ['/imagine', null, null],
    ],
  },
] as const;

describe.each(SITES)('$name', ({ open: openSite, addresses }) => {
  let site: PlainSite;
  let page: Page;
  let chat: Conversation;
  const usual = { faults: {}, looks: {} };

  beforeAll(async () => {
    site = await openSite(context);
    page = await context.newPage();
    Object.assign(usual, structuredClone({ faults: site.faults, looks: site.looks }));
  });
  afterAll(() => page.close());
  beforeEach(() => {
    Object.assign(site.faults, structuredClone(usual.faults));
    Object.assign(site.looks, structuredClone(usual.looks));
    site.sent.length = 0;
    chat = site.truth.conversation({
      title: 'Fix the parser',
      turns: [
        ['user', 'Please fix the parser.\n\nIt drops blank lines.'],
        ['assistant', 'First paragraph.\n\nSecond one,\nwith two lines.'],
      ],
    });
  });

  async function at(address = site.address(chat)): Promise<void> {
    await page.goto(address);
    await page.waitForSelector('body[data-ready]', { state: 'attached' });
    await page.addScriptTag({ content: script });
  }
  const draft = () => page.evaluate(() => window.site.adapter.draft());
  const insert = (text: string) => page.evaluate((given) => window.site.adapter.insert(given, window.site.never), text);
  const messages = () => page.evaluate(() => window.site.adapter.messages().found?.mounted ?? null);
  const send = () => page.evaluate(() => window.site.adapter.send().why ?? 'found');
  /** `inVain`: what is looked for after the press never comes. */
  const deliver = (text: string, inVain = false) =>
    page.evaluate(([given, ms]) => window.site.deliver(given, ms), [text, inVain ? 5 : 250] as const);

  test('says what a page is, and nothing of a page that is no chat', async () => {
    verifies('extension.asked-sites');
    await at();
    for (const [path, place, conversation] of addresses) {
      await page.evaluate((to) => history.replaceState(null, '', to), path);
      const found = await page.evaluate(() => window.site.adapter.identity());
      expect([path, found && { place: found.place, conversation: found.conversation }]).toEqual([
        path,
        place === null ? null : { place, conversation },
      ]);
    }
    await at();
    expect(await page.evaluate(() => window.site.adapter.identity()?.title)).toBe('Fix the parser');
  });

  test('sends one whole text, blank lines too, and sees it and its answer under the site’s own ids', async () => {
    verifies('bridge.local-agents');
    const text = 'One line.\n\nThree below, "quotes" <b>& tags</b> 日本語 🎉\n  indented';
    site.answer = (reply) => reply.write('Both are fixed.\n\nI ran the tests.').finish();
    await at();
    const outcome = await deliver(text);
    expect(site.sent).toEqual([text]);
    const shown = await messages();
    expect(shown?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [user, assistant] = [shown?.[2], shown?.[3]];
    expect(user?.text).toBe(text);
    expect(outcome).toMatchObject({ state: 'sent', messageId: user?.id });
    await expect.poll(async () => (await messages())?.[3]?.text).toBe('Both are fixed.\n\nI ran the tests.');
    expect(assistant?.id).toMatch(/assistant/);
    expect(new Set(shown?.map(({ id }) => id)).size).toBe(4);
    // A reload shows the same messages under the same ids.
    await at();
    expect((await messages())?.map(({ id }) => id)).toEqual(shown?.map(({ id }) => id));
  });

  test('an answer that is being written is seen, and one press of Stop ends it', async () => {
    verifies('bridge.local-agents');
    const reply = site.reply(chat);
    reply.write('Working on');
    await at();
    const streaming = () => page.evaluate(() => window.site.adapter.streaming());
    expect(await streaming()).toEqual({ found: true });
    expect(await deliver('now?')).toEqual({ state: 'blocked', reason: 'turn_in_progress' });
    await page.evaluate(() => {
      const stop = window.site.adapter.stop().found;
      if (stop !== null) window.site.adapter.press(stop);
    });
    await expect.poll(streaming).toEqual({ found: false });
    expect(reply.turn.status).toBe('finished_successfully');
    expect(await page.evaluate(() => window.site.adapter.stop().why)).toBe('missing');
    expect(site.sent).toEqual([]);
  });

  test('a person’s draft, a file beside it and a dialog that waits are left alone', async () => {
    await at();
    await page.evaluate(() => window.visitor.type('my own words\nand more'));
    expect(await deliver('ours')).toEqual({ state: 'blocked', reason: 'user_typing' });
    expect(await page.evaluate(() => window.visitor.draft())).toBe('my own words\nand more');
    site.looks.attachment = true;
    await at();
    expect(await deliver('ours')).toEqual({ state: 'blocked', reason: 'user_typing' });
    Object.assign(site.looks, { attachment: false, dialog: 'Allow this tool?' });
    await at();
    expect(await deliver('ours')).toEqual({ state: 'blocked', reason: 'card_waiting' });
    expect(await page.evaluate(() => window.visitor.draft())).toBe('');
    expect(site.sent).toEqual([]);
  });

  test('a placeholder, a pale suggestion and a no-break space are no draft; only our own text is taken away', async () => {
    site.looks.suggestion = 'Ask about your build';
    await at();
    expect(await draft()).toEqual({ found: '' });
    await page.evaluate(() => window.visitor.type('\u00a0'));
    expect(await draft()).toEqual({ found: '' });
    await at();
    expect((await insert('ours\n\nstill ours')).found).toBe('ours\n\nstill ours');
    expect(await page.evaluate(() => window.site.adapter.clear('another'))).toBe(false);
    expect(await page.evaluate(() => window.site.adapter.clear('ours\n\nstill ours'))).toBe(true);
    expect(await draft()).toEqual({ found: '' });
  });

  test.each([
    ['two', 'ambiguous'],
    ['hidden', 'hidden'],
    ['off', 'disabled'],
  ] as const)('a Send that is %s is %s: nothing is pressed and nothing of ours stays', async (looks, why) => {
    site.looks.send = looks;
    await at();
    await page.evaluate(() => window.visitor.type('x'));
    expect(await send()).toBe(why);
    await at();
    expect(await deliver('ours', true)).toEqual({ state: 'blocked', reason: 'send_missing' });
    expect([site.sent, await draft()]).toEqual([[], { found: '' }]);
  });

  test('on a day on which everything has another name, nothing is typed and why is said', async () => {
    verifies('extension.page-drift');
    site.looks.names = 'renamed';
    await at();
    expect(await insert('ours')).toEqual({ found: null, why: 'missing' });
    expect(await deliver('ours')).toEqual({ state: 'blocked', reason: 'composer_missing' });
    expect(await send()).toBe('missing');
    expect(await page.evaluate(() => window.visitor.draft())).toBe('');
  });

  test.each(['none', 'torn', 'shared'] as const)(
    'messages whose names are %s have no id: sent is not claimed',
    async (ids) => {
      site.looks.ids = ids;
      await at();
      expect(await deliver('ours', true)).toMatchObject({ state: 'uncertain' });
      const users = async () => (await messages())?.filter(({ role }) => role === 'user').map(({ id }) => id);
      await expect.poll(users).toEqual([null, null]);
      expect(site.sent).toEqual(['ours']);
    },
  );

  test.each([
    ['swallow', 'live', 'uncertain'],
    ['refuse', 'live', 'uncertain'],
    ['accept', 'frozen', 'uncertain'],
    ['accept_unanswered', 'live', 'sent'],
  ] as const)('a press that ends as %s with a %s view is %s, and is one press', async (how, view, state) => {
    verifies('bridge.local-agents');
    await at();
    Object.assign(site.faults, { send: how, view });
    if (view === 'frozen') await page.route('**/stand-in/view', (route) => route.abort());
    expect(await deliver('ours, once', state === 'uncertain')).toMatchObject({ state });
    await expect.poll(() => site.sent).toEqual(['ours, once']);
    await page.unroute('**/stand-in/view');
  });
});

describe('Claude’s Project', () => {
  test('is read from the breadcrumb, is none where the header names none, and is not known before there is one', async () => {
    const own = await browser.newContext();
    const site = await openClaude(own);
    const page = await own.newPage();
    const project = async (id: string | null) => {
      await page.goto(site.address(site.truth.conversation({ project: id })));
      await page.waitForSelector('body[data-ready]', { state: 'attached' });
      await page.addScriptTag({ content: script });
      return page.evaluate(() => window.site.adapter.identity()?.project);
    };
    expect(await project(PROJECT)).toEqual({
      id: PROJECT,
      key: `https://claude.ai/project/${PROJECT}`,
      name: 'Parsers',
    });
    expect(await project(null)).toBe('none');
    await page.evaluate(() => document.querySelector('header')?.remove());
    expect(await page.evaluate(() => window.site.adapter.identity()?.project)).toBe('unknown');
    await own.close();
  });
});
