/** The ChatGPT adapter against the stand-in page in a real Chromium. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChatGpt,
  COMPOSER_RENAMED,
  type Conversation,
  ORIGIN,
  openChatGpt,
  TEST_IDS_RENAMED,
  USUAL,
} from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { inChromium } from '../in-chromium.ts';

let browser: Browser;
let adapter: string;
let context: BrowserContext;
let page: Page;
let site: ChatGpt;
let chat: Conversation;
const pristine = { faults: {}, looks: {} };

beforeAll(async () => {
  ({ browser, script: adapter } = await inChromium(new URL('in-page.ts', import.meta.url)));
  context = await browser.newContext();
  site = await openChatGpt(context);
  page = await context.newPage();
  Object.assign(pristine, structuredClone({ faults: site.faults, looks: site.looks }));
});
afterAll(() => browser.close());

beforeEach(() => {
  Object.assign(site.faults, structuredClone(pristine.faults));
  Object.assign(site.looks, structuredClone(pristine.looks));
  chat = site.truth.conversation({
    title: 'Fix the parser',
    turns: [
      ['user', 'Please fix the parser.\n\nIt drops blank lines.'],
      ['assistant', 'First paragraph.\n\nSecond one,\nwith two lines.'],
    ],
  });
});
async function open(path = `/c/${chat.id}`): Promise<void> {
  await page.goto(ORIGIN + path);
  await page.waitForSelector('form button');
  await page.addScriptTag({ content: adapter });
}

const insert = (text: string) => page.evaluate((given) => window.adapter.insert(given, window.never), text);
const draft = () => page.evaluate(() => window.adapter.draft());
const type = (text: string) => page.evaluate((given) => window.person.type(given), text);
const cards = () => page.evaluate(() => window.adapter.permissionCards().map((card) => card.textContent));

describe('what a page is', () => {
  const id = `g-p-${'0a'.repeat(16)}`;
  test.each([
    ['/', { place: 'root', conversation: null, project: 'none' }],
    ['/c/abc-1', { place: 'conversation', conversation: `${ORIGIN}/c/abc-1`, project: 'unknown' }],
    [`/g/${id}-my-slug/project`, { place: 'project', conversation: null, project: { id, key: `${ORIGIN}/g/${id}` } }],
    [`/g/${id}/c/abc-1`, { place: 'conversation', conversation: `${ORIGIN}/c/abc-1`, project: { id } }],
    ['/library', null],
    ['/share/abc', null],
    ['/g/g-p-123/project', null],
  ])('%s', async (path, expected) => {
    await open(path);
    const found = await page.evaluate(() => window.adapter.identity());
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  test('a plain chat is in a Project when the site’s own list says so, and in none only when the whole list was read', async () => {
    const project = site.truth.project('Parsers');
    chat.project = project.id;
    const other = site.truth.conversation();
    await open();
    const membership = (conversation: string) =>
      page.evaluate((key) => window.adapter.membership(key, window.never), `${ORIGIN}/c/${conversation}`);
    expect(await membership(chat.id)).toEqual({ id: project.id, key: `${ORIGIN}/g/${project.id}`, name: 'Parsers' });
    expect(await membership(other.id)).toBe('none');
  });
});

describe('the switch between Chat and Work', () => {
  const chatMode = () => page.evaluate(() => window.adapter.chatMode?.(window.never));
  const checked = () => page.locator('[role="radio"][aria-checked="true"]').allTextContents();

  test.each([
    ['no switch', null, { found: true }, []],
    ['Chat', 'chat', { found: true }, ['Chat']],
    ['Work: Chat is chosen, and read back', 'work', { found: true }, ['Chat']],
    ['two switches: none is touched', 'two', { found: null, why: 'ambiguous' }, ['Work', 'Work']],
    ['one that does not move', 'stuck', { found: null, why: 'disabled' }, ['Work']],
  ] as const)('%s', async (_, mode, expected, after) => {
    verifies('extension.chat-mode');
    site.looks.mode = mode;
    await open();
    expect(await chatMode()).toEqual(expected);
    expect(await checked()).toEqual(after);
  });
});

describe('the composer', () => {
  test('holds a draft as soon as an input method composes in it', async () => {
    verifies('extension.composing');
    await open();
    await page.evaluate(() => window.adapter.composer().found?.focus());
    const keys = await page.context().newCDPSession(page);
    await keys.send('Input.imeSetComposition', { text: 'へんかん', selectionStart: 4, selectionEnd: 4 });
    expect(await draft()).toEqual({ found: 'へんかん' });
    await keys.detach();
  });

  test('takes a text whole, its blank lines too, and gives it back as what was sent', async () => {
    await open();
    const text = 'One line.\n\n\nThree below, "quotes" <b>& tags</b> 日本語 🎉\n  indented';
    expect((await insert(text)).found).toBe(text);
    await page.evaluate(() => {
      const send = window.adapter.send().found;
      if (send !== null) window.adapter.press(send);
    });
    await page.waitForFunction(() => window.adapter.messages().found?.mounted.length === 4);
    expect(site.truth.get(chat.id).turns[2]?.text).toBe(text);
    const shown = await page.evaluate(() => window.adapter.messages().found?.mounted[2]);
    expect(shown).toMatchObject({ role: 'user', text });
  });

  test('a long text of many lines arrives whole', async () => {
    await open();
    const text = Array.from({ length: 300 }, (_, at) => (at % 7 === 0 ? '' : `line ${at} of the wake`))
      .join('\n')
      .trim();
    expect((await insert(text)).found).toBe(text);
  });

  test('a person’s draft is left as it is, and is what the answer shows', async () => {
    verifies('extension.wake');
    await open();
    await type('my own words\nand a second line');
    expect((await insert('ours')).found).toBe('my own words\nand a second line');
    expect(await page.evaluate(() => window.person.draft())).toBe('my own words\nand a second line');
  });

  test('a placeholder, a pale suggestion, a no-break space and a pill are no draft', async () => {
    site.looks.suggestion = 'Ask about your build';
    await open();
    expect(await draft()).toEqual({ found: '' });
    await type('\u00a0');
    expect(await draft()).toEqual({ found: '' });
    await page.evaluate(() => window.person.pick('herdr'));
    expect(await draft()).toEqual({ found: '' });
  });

  test('our own text is taken away again, and only it', async () => {
    await open();
    await page.evaluate(() => window.person.pick('herdr'));
    await insert('ours\n\nstill ours');
    expect(await page.evaluate(() => window.adapter.clear('ours\n\nstill ours'))).toBe(true);
    expect(await page.evaluate(() => window.person.draft().trim())).toBe('');
    expect(await page.evaluate(() => window.person.pills())).toEqual(['herdr']);
    await type('a person’s');
    expect(await page.evaluate(() => window.adapter.clear('ours'))).toBe(false);
    expect(await page.evaluate(() => window.person.draft())).toContain('a person’s');
  });

  test('an editor that nobody can find is missing, and nothing is typed', async () => {
    site.looks.names = COMPOSER_RENAMED;
    await open();
    expect(await insert('ours')).toEqual({ found: null, why: 'missing' });
    expect(await page.evaluate(() => window.person.draft())).toBe('');
    expect(await page.evaluate(() => window.adapter.send())).toEqual({ found: null, why: 'missing' });
  });
});

describe('controls', () => {
  test('Send is there only with something to send, Stop only while an answer is written', async () => {
    await open();
    const state = () =>
      page.evaluate(() => ({
        send: window.adapter.send().found !== null,
        stop: window.adapter.stop().found !== null,
        streaming: window.adapter.streaming().found,
      }));
    expect(await state()).toEqual({ send: false, stop: false, streaming: false });
    await insert('hello');
    expect((await state()).send).toBe(true);
    const reply = site.reply(chat).write('partial');
    await page.waitForFunction(() => window.adapter.stop().found !== null);
    expect((await state()).streaming).toBe(true);
    reply.tool('herdr_exec');
    await page.waitForFunction(() => window.adapter.toolRunning().found === true);
    reply.finish();
    await page.waitForFunction(() => window.adapter.streaming().found === false);
  });

  test('on a day with other test ids they are found by what they say', async () => {
    verifies('extension.page-drift');
    site.looks.names = TEST_IDS_RENAMED;
    await open();
    await insert('hello');
    expect(await page.evaluate(() => window.adapter.send().found?.getAttribute('aria-label'))).toBe(USUAL.sendLabel);
  });

  test('two Send controls are ambiguous, a disabled one is disabled', async () => {
    await open();
    await insert('hello');
    await page.evaluate(() => document.querySelector('[data-testid=send-button]')?.setAttribute('disabled', ''));
    expect(await page.evaluate(() => window.adapter.send())).toEqual({ found: null, why: 'disabled' });
    await page.evaluate(() => {
      const send = document.querySelector('[data-testid=send-button]');
      send?.after(send.cloneNode(true));
    });
    expect(await page.evaluate(() => window.adapter.send())).toEqual({ found: null, why: 'ambiguous' });
  });
});

describe('messages', () => {
  test('are read as a person reads them, with the site’s own ids', async () => {
    await open();
    const found = await page.evaluate(() => window.adapter.messages().found);
    expect(found?.mounted).toEqual([
      { role: 'user', id: chat.turns[0]?.id, text: 'Please fix the parser.\n\nIt drops blank lines.' },
      { role: 'assistant', id: chat.turns[1]?.id, text: 'First paragraph.\n\nSecond one,\nwith two lines.' },
    ]);
  });

  test('a history of which only the end is mounted is known to be longer', async () => {
    for (let at = 0; at < 20; at += 1) site.truth.accept(chat, `turn ${at}`, []);
    site.looks.mounted = 4;
    await open();
    const found = await page.evaluate(() => window.adapter.messages().found);
    expect(found?.mounted).toHaveLength(4);
    expect(found?.turnsSeen).toBe(22);
  });

  const turn = '<div data-message-author-role="user" data-message-id="u3">hello</div>';
  test.each([
    ['article', `<article data-testid="conversation-turn-3" data-turn-id="t3">${turn}</article>`, 'u3'],
    ['section', `<section data-testid="conversation-turn-3" data-turn-id="t3">${turn}</section>`, 'u3'],
    ['keyed block', `<div data-turn-key="k3" data-content-search-turn-key="k3">${turn}</div>`, 'u3'],
    ['block that names nobody', '<div data-turn-key="k3"><div class="x9">hello</div></div>', null],
    ['turn that names nobody', '<article data-testid="conversation-turn-3"><p>hello</p></article>', null],
  ])('of a page whose turn is one %s are the same, or are not known: never none', async (_what, html, id) => {
    verifies('extension.page-drift');
    await open('/c/abc-1');
    const look = await page.evaluate((given) => {
      for (const old of document.querySelectorAll('[data-turn]')) old.remove();
      const place = document.createElement('div');
      place.innerHTML = given;
      document.querySelector('main')?.append(place);
      return window.adapter.messages();
    }, html);
    if (id === null) expect(look).toEqual({ found: null, why: 'unreadable' });
    else expect(look.found?.mounted).toEqual([{ role: 'user', id, text: 'hello' }]);
  });

  test('tool cards, toggles and pills are no words of the message', async () => {
    site.truth.accept(chat, `${'long '.repeat(200)}end`, ['herdr']);
    const reply = site.reply(chat).write('Working on it.').tool('herdr_exec');
    await open();
    const texts = await page.evaluate(() => window.adapter.messages().found?.mounted.map(({ text }) => text));
    expect(texts?.[2]).toBe(`${'long '.repeat(200)}end`);
    expect(texts?.[3]).toBe('Working on it.');
    reply.finish();
  });
});

describe('what stands beside the words', () => {
  test.each([
    ['a file', '<div role="group" aria-label="notes.md" class="group/file-tile"><button>notes.md</button></div>', true],
    [
      'a picture',
      '<div><img alt="" width="9" height="9"><button aria-label="Remove file 1: a.png">x</button></div>',
      true,
    ],
    ['a pasted text', '<div data-testid="composer-pasted-text-card">Pasted</div>', true],
    ['a button that adds files', '<button aria-label="Add photos and files">+</button>', false],
  ])('%s', async (_name, html, expected) => {
    await open();
    const seen = await page.evaluate((given) => {
      const beside = window.adapter.attached();
      document.querySelector('form')?.insertAdjacentHTML('afterbegin', given);
      return [beside, window.adapter.attached()];
    }, html);
    expect(seen).toEqual([false, expected]);
  });

  test('a file of a message that was sent is none', async () => {
    await open();
    const seen = await page.evaluate(() => {
      document.body.insertAdjacentHTML('afterbegin', '<div class="group/file-tile">sent.md</div>');
      return window.adapter.attached();
    });
    expect(seen).toBe(false);
  });
});

describe('permission cards', () => {
  const labels = ['Allow', 'Always allow', 'Deny'];
  test.each([
    ['names a Herdr tool', 'Allow herdr_exec to run?', labels, 'row', ['Allow']],
    ['names it in a dialog', 'Herdr wants to use herdr_fs_write', labels, 'dialog', ['Allow']],
    ['another tool', 'Allow github_push to run?', labels, 'row', []],
    ['a word that only contains the name', 'Allow herdrunner to run?', labels, 'row', []],
    ['no refusal beside it', 'Allow herdr_exec to run?', ['Allow', 'More'], 'row', []],
    ['only a lasting grant', 'Allow herdr_exec to run?', ['Always allow', 'Allow for this chat', 'Deny'], 'row', []],
    ['two of one label', 'Allow herdr_exec to run?', ['Allow', 'Allow', 'Deny'], 'row', []],
    ['no word of a permission', 'herdr_exec finished', ['Allow', 'Deny'], 'row', []],
    ['another tool whose arguments name ours', 'Allow mailer_send to run? body: "run herdr_exec"', labels, 'row', []],
    ['another app that speaks of ours', 'Mailer wants to send: allow herdr_exec', labels, 'dialog', []],
    ['a name that begins as ours', 'herdr-evil wants to run a tool', labels, 'row', []],
    ['an address of ours', 'Allow herdr.example to run?', labels, 'row', []],
    ['words of asking around the name', 'Permission required: ChatGPT wants to use Herdr', labels, 'row', ['Allow']],
    ['Japanese', 'Herdr の実行を許可しますか', ['許可', '拒否'], 'row', ['許可']],
    ['Chinese', '允许使用 herdr_exec 吗？', ['允许', '拒绝'], 'row', ['允许']],
  ] as const)('%s', async (_name, text, buttons, shape, pressable) => {
    const reply = site.reply(chat).write('I will run it.');
    const card = reply.ask(text, buttons, shape);
    await open();
    expect(await cards()).toEqual(pressable);
    if (pressable.length > 0) {
      await page.evaluate(() => {
        for (const allow of window.adapter.permissionCards()) window.adapter.press(allow);
      });
      await expect.poll(() => card.pressed).toEqual(pressable);
    }
  });

  const row = '<div data-testid="tool-action-buttons"><button>Allow</button><button>Deny</button></div>';
  const names = 'Allow herdr_exec to run?';
  test.each([
    [
      'a message of the model',
      `<div data-message-author-role="assistant"><div class="markdown"><p>${names}</p>${row}</div></div>`,
    ],
    ['a message of the person', `<div data-message-author-role="user"><div>${names}</div>${row}</div>`],
    [
      'a card without a label, behind what the model wrote',
      `<section><div data-message-author-role="assistant"><div class="markdown">${names}</div><div>${row}</div></div></section>`,
    ],
    [
      'a card without a label, beside the message that names ours',
      `<section><div data-message-author-role="assistant">${names}</div><div>${row}</div></section>`,
    ],
    [
      'a card without a label, beside one of ours',
      `<div><div>${row}</div><div><p>${names}</p>${row.replace('Deny', 'Other')}</div></div>`,
    ],
    [
      'arguments that name ours before the label',
      `<div><pre>${names}</pre><p>mailer_send wants to run</p>${row}</div>`,
    ],
    [
      'a label that nobody can see',
      `<div><span style="display:none">${names}</span><p>Allow mailer_send</p>${row}</div>`,
    ],
    [
      'a button that is called otherwise than it reads',
      `<div><p>${names}</p>${row.replace('<button>', '<button aria-label="Allow">').replace('Allow</', 'Always allow</')}</div>`,
    ],
    [
      'a button that reads otherwise than it is called',
      `<div><p>${names}</p>${row.replace('<button>', '<button aria-label="Always allow">')}</div>`,
    ],
    ['a menu', `<div><p>${names}</p>${row.replace('<button>', '<button aria-haspopup="menu">')}</div>`],
  ])('nothing is pressed in %s', async (_name, html) => {
    verifies('extension.cards');
    await open();
    const offered = await page.evaluate((given) => {
      const place = document.createElement('div');
      place.innerHTML = given;
      document.body.append(place);
      return window.adapter.permissionCards().length;
    }, html);
    expect(offered).toBe(0);
  });

  test('a waiting card of any kind is known to wait', async () => {
    site.reply(chat).ask('Allow github_push to run?', labels);
    await open();
    expect(await page.evaluate(() => window.adapter.cardWaiting())).toBe(true);
  });
});

describe('the connector', () => {
  test('is learnt from exactly one pill and selected through the menu', async () => {
    site.truth.accept(chat, 'hello', ['Herdr work']);
    site.looks.connectors = ['Herdr home', 'Herdr work'];
    await open();
    expect(await page.evaluate(() => window.adapter.connector())).toEqual({ found: 'Herdr work' });
    const selected = await page.evaluate(() => window.adapter.selectConnector('Herdr work', window.never));
    expect(selected).toEqual({ found: true });
    expect(await page.evaluate(() => window.person.pills())).toEqual(['Herdr work']);
    expect((await insert('with the pill before it')).found).toBe('with the pill before it');
    expect(await page.evaluate(() => window.person.pills())).toEqual(['Herdr work']);
  });

  test('two of one name are ambiguous and nothing is selected', async () => {
    site.truth.accept(chat, 'hello', ['a', 'b']);
    site.looks.connectors = ['Herdr', 'Herdr'];
    await open();
    expect(await page.evaluate(() => window.adapter.connector())).toEqual({ found: null, why: 'ambiguous' });
    expect(await page.evaluate(() => window.adapter.selectConnector('Herdr', window.never))).toEqual({
      found: null,
      why: 'ambiguous',
    });
    expect(await page.evaluate(() => window.person.pills())).toEqual([]);
  });
});

describe('the server’s own view', () => {
  const read = () => page.evaluate((key) => window.adapter.snapshot(key, window.never), `${ORIGIN}/c/${chat.id}`);

  test.each(['list', 'tree'] as const)('as a %s: whose turn is last and whether it is finished', async (shape) => {
    site.faults.snapshot = shape;
    await open();
    expect((await read()).found).toMatchObject({
      latestUser: { id: chat.turns[0]?.id },
      latestAssistant: { id: chat.turns[1]?.id },
      currentRole: 'assistant',
      finished: 'finished',
    });
    const user = site.truth.accept(chat, 'and now?', []);
    expect((await read()).found).toMatchObject({
      latestUser: { id: user.id },
      latestAssistant: null,
      currentRole: 'user',
      finished: 'unknown',
    });
    const reply = site.reply(chat).write('on it');
    expect((await read()).found).toMatchObject({ currentRole: 'assistant', finished: 'unfinished' });
    reply.finish();
    expect((await read()).found).toMatchObject({ finished: 'finished' });
  });

  test.each(['unauthorised', 'missing', 'rate_limited', 'broken'] as const)(
    '%s is unreadable, never a guess',
    async (fault) => {
      verifies('extension.recovery');
      site.faults.snapshot = fault;
      await open();
      expect(await read()).toEqual({ found: null, why: 'unreadable' });
    },
  );

  test('a question that was given up ends', async () => {
    site.faults.snapshot = 'silent';
    await open();
    const answer = await page.evaluate(async (key) => {
      const giveUp = new AbortController();
      const asked = window.adapter.snapshot(key, giveUp.signal);
      giveUp.abort();
      return asked;
    }, `${ORIGIN}/c/${chat.id}`);
    expect(answer).toEqual({ found: null, why: 'unreadable' });
  });
});

describe('the menu of the chat', () => {
  const entry = () =>
    page.evaluate(async () => {
      const look = await window.adapter.archive?.entry(window.never);
      return look?.found?.textContent ?? look?.why;
    });
  const done = () => page.evaluate((key) => window.adapter.archive?.done(key, window.never), `${ORIGIN}/c/${chat.id}`);

  test('gives its Archive entry and presses nothing; the server says whether the chat is archived', async () => {
    for (const names of [USUAL, TEST_IDS_RENAMED]) {
      site.looks.names = names;
      await open();
      expect(await entry()).toBe('Archive');
      expect([site.menu, await done()]).toEqual([[], false]);
    }
    await page.evaluate(async () => (await window.adapter.archive?.entry(window.never))?.found?.click());
    await page.waitForURL(`${ORIGIN}/`);
    expect([site.menu, await done()]).toEqual([['archive'], true]);
    site.faults.snapshot = 'rate_limited';
    expect(await done()).toBeNull();
  });

  test.each([
    ['none', 'missing'],
    ['two', 'ambiguous'],
  ] as const)(
    'with %s of it nothing is found, its neighbours are never taken for it, and it is closed',
    async (archive, why) => {
      site.looks.archive = archive;
      await open();
      expect(await entry()).toBe(why);
      await page.waitForFunction(() => document.querySelector('.chat-options [role=menu]') === null);
    },
  );
});

describe('what the site says has failed', () => {
  const failure = () =>
    page.evaluate(() => {
      const found = window.adapter.health?.failure() ?? null;
      return found && { kind: found.kind, retry: found.retry?.textContent ?? null };
    });
  const tooMany = () => page.evaluate(() => window.adapter.health?.saysTooMany());

  test.each([
    ['Something went wrong.', true, { kind: 'thread_error', retry: 'Retry' }],
    ['Something went wrong.', false, null],
    ['The request timed out.', true, { kind: 'send_timeout', retry: 'Retry' }],
    ['Your message timed out while sending', false, { kind: 'send_timeout', retry: null }],
    ['メッセージの送信がタイムアウトしました', false, { kind: 'send_timeout', retry: null }],
    ['发送超时，请重试', false, { kind: 'send_timeout', retry: null }],
    ['Too many requests. Try again later.', true, null],
    ['You’re making requests too quickly', true, null],
  ])('%s (Retry: %s)', async (text, retry, found) => {
    verifies('extension.back-off');
    Object.assign(chat, { threadError: text, retry });
    for (const names of [USUAL, TEST_IDS_RENAMED]) {
      site.looks.names = names;
      await open();
      expect(await failure()).toEqual(found);
      expect(await tooMany()).toBe(/too many|too quickly/i.test(text));
    }
  });

  test.each(['Connection lost. Waiting for the full response…', '接続が切れました', '连接已中断，正在等待完整回复'])(
    'below an answer: %s',
    async (notice) => {
      const reply = site.reply(chat).write('The first half, ');
      reply.turn.notice = notice;
      await open();
      expect(await failure()).toEqual({ kind: 'interrupted', retry: null });
      const text = () => page.evaluate(() => window.adapter.messages().found?.mounted.at(-1)?.text);
      expect(await text()).toBe('The first half,');
    },
  );

  test('is never what a person, the model or a draft says', async () => {
    const said = 'Connection lost. Waiting for the full response. The request timed out. Too many requests.';
    site.truth.accept(chat, said, []);
    site.reply(chat).write(said).finish();
    await open();
    await page.evaluate((text) => window.person.type(text), said);
    expect([await failure(), await tooMany()]).toEqual([null, false]);
  });

  test('asks the site nothing while it is held, and counts its refusals', async () => {
    await open();
    const ask = () => page.evaluate((key) => window.adapter.snapshot(key, window.never), `${ORIGIN}/c/${chat.id}`);
    site.faults.snapshot = 'rate_limited';
    await ask();
    expect(await page.evaluate(() => window.adapter.health?.refusals())).toBe(1);
    site.faults.snapshot = 'list';
    await page.evaluate(() => window.adapter.health?.hold(60_000));
    const before = site.requests.length;
    expect(await ask()).toMatchObject({ found: null });
    expect(await page.evaluate((key) => window.adapter.membership(key, window.never), `${ORIGIN}/c/${chat.id}`)).toBe(
      'unknown',
    );
    expect(site.requests).toHaveLength(before);
    expect(await page.evaluate(() => window.adapter.health?.isOwn('https://evil.example/chatgpt.com'))).toBe(false);
    expect(await page.evaluate(() => window.adapter.health?.isOwn('https://files.oaiusercontent.com/x'))).toBe(true);
  });
});
