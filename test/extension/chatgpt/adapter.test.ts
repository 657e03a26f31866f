/** The ChatGPT adapter against the stand-in page in a real Chromium: what a page is, and what is done to it. */
import { describe, expect, test } from 'vitest';
import { COMPOSER_RENAMED, ORIGIN, TEST_IDS_RENAMED, USUAL } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, draft, insert, open, page, site } from './chat-page.ts';

const type = (text: string) => page.evaluate((given) => window.person.type(given), text);

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
