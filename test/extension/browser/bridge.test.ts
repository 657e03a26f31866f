/**
 * The seven acceptance points of the bridge's own document, in a real browser: a stand-in z.ai model that looks, changes a
 * file and reports, through the built extension, the native host and a real runtime, with a reload in the middle of every
 * step.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import type { Conversation, PlainSite } from '../../sites/base/index.ts';
import { openDeepSeek } from '../../sites/deepseek/index.ts';
import { openZai } from '../../sites/zai/index.ts';
import { verifies } from '../../verifies.ts';
import { call, fenced } from '../bridge/chat.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
let site: PlainSite;
let page: Page;
let chat: Conversation;
let shell: { pane_id: string; workspace_id: string };
let file: string;
let log: string;
/** What the model was told, oldest first, and what it answers next. */
const heard: string[] = [];
let script: ((message: string) => string)[] = [];
/** Called in the middle of each answer. */
let midway: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 2, allowed: ['zai', 'deepseek'] });
  const { work } = product.herdr;
  [file, log] = [join(work, 'notes.txt'), join(work, 'log.txt')];
  writeFileSync(file, 'one\n');
  execFileSync('git', ['init', '-q', work]);
  shell = await product.agent('worker');
  site = await openZai(product.context);
  site.answer = async (reply, user) => {
    heard.push(user.text);
    const text = (script.shift() ?? (() => 'There is nothing to do.'))(user.text);
    reply.write(text.slice(0, 12));
    await midway();
    reply.write(text.slice(12)).finish();
  };
  await product.panel('panel.config', { config: { sites: ['zai', 'deepseek'] } });
  page = await product.context.newPage();
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () =>
    console.error(
      JSON.stringify(await product.stored(), null, 1),
      heard.map((one) => one.slice(0, 400)),
    ),
  );
});
afterAll(() => product.end());

const bridge = () => page.locator('[data-part="bridge"]');
const told = (of = chat) => of.turns.filter(({ role, text }) => role === 'user' && text.includes('\nTOOL_RESULT:\n'));
const last = () => chat.turns.at(-1)?.text ?? '';

/** One after the other: the model reloads in the middle of its answers, and we in the middle of everything else. */
let reloading: Promise<unknown> = Promise.resolve();
function reload(): Promise<unknown> {
  reloading = reloading.then(() => page.reload());
  return reloading;
}

async function say(text: string): Promise<void> {
  await bridge().waitFor();
  await page.locator('#chat-input').click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

it('1. the bridge reads the current local tools/list', async () => {
  verifies('bridge.json', 'bridge.uat', 'extension.asked-sites');
  await page.goto('https://chat.z.ai/');
  script = [
    () => `I look at the *workstation* first.\n\n${fenced(call('herdr_inspect'))}`,
    () => 'I see **one** workspace.',
  ];
  await say('what is open on my machine?');
  await until('the first message is sent', () => heard.length > 0);
  for (const tool of ['herdr_inspect', 'herdr_fs_edit', 'herdr_git', 'herdr_call'])
    expect(heard[0]).toContain(`\n${tool}(`);
  expect(heard[0]).toMatch(/USER_TASK:\nwhat is open on my machine\?$/);
  const [begun] = site.truth.conversations.values();
  if (begun === undefined) throw new Error('no chat was begun');
  chat = begun;
});

it('2. the Web model generates a valid herdr_inspect request', async () => {
  verifies('bridge.uat', 'bridge.sites');
  await until('the reply stands there', () => chat.turns[1]?.status === 'finished_successfully');
  expect(chat.turns[1]?.text).toContain('{"tool":"herdr_inspect","args":{}}');
  await page.locator('[data-herdr-fold="closed"]').first().waitFor();
});

it('3. the native host executes that MCP tool', async () => {
  verifies('bridge.uat', 'bridge.json');
  await until('a result was sent', () => told().length > 0);
  const [entry] = JSON.parse(told()[0]?.text.split('\nTOOL_RESULT:\n')[1] ?? '[]') as {
    tool: string;
    ok: boolean;
    result: unknown;
  }[];
  expect(entry).toMatchObject({ index: 0, tool: 'herdr_inspect', ok: true });
  expect(JSON.stringify(entry?.result)).toContain(shell.workspace_id);
});

it('4. TOOL_RESULT returns to the right conversation', async () => {
  verifies('bridge.uat');
  const other = site.truth.conversation({
    title: 'Another',
    turns: [
      ['user', 'hello'],
      ['assistant', fenced(call('herdr_exec', { workspace: 'x', command: 'false' }))],
    ],
  });
  const second = await product.context.newPage();
  await second.goto(site.address(other));
  await second.locator('[data-part="bridge"]').waitFor();
  script = [() => fenced(call('herdr_fs_read', { path: file })), () => 'It says one.'];
  await say('read the notes');
  await until('the answer to it', () => last() === 'It says one.');
  expect(told()).toHaveLength(2);
  expect(told()[1]?.text).toContain('"one');
  expect(other.turns).toHaveLength(2);
  await second.close();
});

it('5. the model can continue with another tool or a normal answer', async () => {
  verifies('bridge.uat', 'bridge.bounds');
  const before = told().length;
  script = [
    () =>
      fenced(call('herdr_fs_edit', { path: file, old_string: 'one', new_string: 'two * $1 _x_', confirm_dirty: true })),
    (message) =>
      message.includes('"ok":true')
        ? fenced(call('herdr_git', { root: product.herdr.work, action: 'status' }))
        : 'It failed.',
    () => 'Done: one became two.',
  ];
  await say('change one to two');
  await until('the report', () => last() === 'Done: one became two.');
  expect(readFileSync(file, 'utf8')).toBe('two * $1 _x_\n');
  expect(told()).toHaveLength(before + 2);
  await page.getByText('round 2 of 24').waitFor();
});

it('6. a reload does not duplicate a completed mutation, in the middle of whatever step it comes', async () => {
  verifies('bridge.uat', 'bridge.ledger', 'bridge.json');
  const before = told().length;
  const line = 'a line of its own';
  script = [
    () => fenced(call('herdr_inspect')),
    () =>
      fenced(
        call('herdr_exec', {
          workspace: shell.workspace_id,
          command: `sleep 1; echo '${line}' >> log.txt`,
          confirm_busy: true,
        }),
      ),
    () => fenced(call('herdr_fs_edit', { path: file, old_string: 'two', new_string: 'three', confirm_dirty: true })),
    () => 'Reported: three, and a line.',
  ];
  midway = reload;
  await say('do it while I reload');
  const executing = async () =>
    JSON.stringify((await product.stored())['herdr.bridge']).includes('"state":"executing"');
  // The command runs: the tab is loaded anew and the worker ends, with the only one who waits for the answer.
  await until('the command runs', async () => told().length === before + 1 && (await executing()));
  await product.stopWorker();
  await reload();
  for (const [round, what] of [
    [2, 'the command’s result'],
    [3, 'the edit’s result'],
  ] as const) {
    await until(what, () => told().length >= before + round);
    await reload();
  }
  await until('the report', () => last() === 'Reported: three, and a line.');
  midway = async () => undefined;
  await reload();
  await bridge().waitFor();
  await product.stopWorker();
  await reload();
  await until('nothing is left to do', async () => /ready/.test((await bridge().textContent()) ?? ''));
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').toBe(`${line}\n`);
  expect(readFileSync(file, 'utf8')).toBe('three * $1 _x_\n');
  expect(told()).toHaveLength(before + 3);
  expect(
    JSON.stringify(
      told()
        .slice(before)
        .map(({ text }) => text),
    ),
  ).not.toContain('delivery_unknown');
});

it('7. workspace binding and progress continuity work beside the tool loop', async () => {
  verifies('bridge.uat', 'extension.binding');
  const tab = await product.tabOf(page);
  expect(await product.panel('panel.bind', { tab, workspace: shell.workspace_id })).toMatchObject({ ok: true });
  await page.locator('[data-action="auto"]').click();
  await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
  const before = told().length;
  script = [() => fenced(call('herdr_since', { cursor: 0 })), () => 'The worker is done.'];
  await product.herdr.call('agent.prompt', { target: 'worker', text: 'go on' });
  const wakes = () =>
    chat.turns.filter(({ role, text }) => role === 'user' && /^\[HERDR_JSON_BRIDGE_V1 [^\n]*\]\nHerdr:/.test(text));
  await until('the chat is woken and looks by itself', () => wakes().length > 0 && last() === 'The worker is done.');
  expect(wakes()).toHaveLength(1);
  expect(told()).toHaveLength(before + 1);
});

it('Stop stops, the switch leaves a message as it was written, and folded messages can be read', async () => {
  verifies('bridge.bounds', 'bridge.sites');
  const before = told().length;
  script = [
    () => fenced(call('herdr_exec', { workspace: shell.workspace_id, command: 'sleep 2', confirm_busy: true })),
  ];
  let goOn: () => void = () => undefined;
  midway = () => new Promise<void>((resolve) => (goOn = resolve));
  await say('take your time');
  // Who stops the answer by the site's own button stops what it asks for as well.
  await page.locator('#stop-generation-button').click();
  await page.locator('[data-bridge="resume"]').click();
  goOn();
  midway = async () => undefined;
  await page.locator('[data-bridge="stop"]').click();
  await page.locator('[data-bridge="resume"]').waitFor();
  const folded = page.locator('[data-herdr-fold="closed"]').first();
  await folded.click();
  await page.locator('[data-herdr-fold="open"]').first().waitFor();
  await page.locator('[data-bridge="off"]').click();
  await page.locator('[data-bridge="on"]').waitFor();
  await until('the page is quiet', () => chat.turns.every(({ status }) => status !== 'in_progress'));
  await say('plain words');
  await until('they are sent', () => heard.at(-1) === 'plain words');
  expect(told()).toHaveLength(before);
});

it('DeepSeek: no identity before the address names a chat; without ids it still works, and says what is not journaled', async () => {
  verifies('bridge.sites', 'bridge.json');
  const deep = await openDeepSeek(product.context);
  deep.looks.ids = 'none';
  const replies = [() => fenced(call('herdr_fs_read', { path: file })), () => 'It says three.', () => 'Again.'];
  deep.answer = (reply) => void reply.write((replies.shift() ?? (() => 'Nothing.'))()).finish();
  await page.goto('https://chat.deepseek.com/');
  await bridge().waitFor();
  const tab = await product.tabOf(page);
  expect(await product.panel('panel.bind', { tab, workspace: shell.workspace_id })).toEqual({
    ok: false,
    reason: 'conversation_required',
  });
  await page.locator('textarea[name="search"]').click();
  await page.keyboard.type('read the notes');
  await page.keyboard.press('Enter');
  const begun = () => [...deep.truth.conversations.values()][0];
  await until('the answer', () => begun()?.turns.at(-1)?.text === 'It says three.');
  expect(begun()?.turns.filter(({ text }) => text.includes('\nTOOL_RESULT:\n'))).toHaveLength(1);
  expect(await product.panel('panel.bind', { tab, workspace: shell.workspace_id })).toMatchObject({ ok: true });
  await page.locator('[data-part="bridge-unnamed"]').waitFor();
});
