/** What the ChatGPT adapter reads: messages and what stands beside them, the server’s own view, and what has failed. */
import { describe, expect, test } from 'vitest';
import { ORIGIN, TEST_IDS_RENAMED, USUAL } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, open, page, site } from './chat-page.ts';

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
