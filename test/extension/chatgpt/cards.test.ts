/** Permission cards of the ChatGPT page: which one may be answered, and which only waits. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { cards, chat, open, page, site } from './chat-page.ts';

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
