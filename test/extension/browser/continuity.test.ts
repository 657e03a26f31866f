/**
 * What a person checks before trusting continuity with a real task: the seven points at the end of the product's document
 * on browser continuity, under their names, in one browser with one ChatGPT Project and a real agent.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasStatus, startAgent } from '../../embedded-herdr/harness/index.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import type { Conversation } from '../../sites/chatgpt/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LOCAL_AGENT = fileURLToPath(new URL('local-agent', import.meta.url));

let product: Product;
let page: Page;
let project: { id: string; key: string };
let chat: Conversation;
let shell: { pane_id: string; workspace_id: string };
let folder: string;
/** The agent of this test works until this file is there, and shows the rows of `<file>.more`. */
let done: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hu-'));
  done = join(folder, 'done');
  product = await startProduct();
  shell = await product.herdr.open('worker', { env: { PATH: `${LOCAL_AGENT}:${process.env.PATH}` } });
  await startAgent(product.herdr, shell as never, 'worker');
  await hasStatus(product.herdr, 'worker', ['idle', 'done']);
  const { id } = product.site.truth.project('Parsers');
  project = { id, key: `${ORIGIN}/g/${id}` };
  chat = product.site.truth.conversation({ title: 'The parser', project: id });
  page = await product.context.newPage();
  await page.goto(addressOf(chat));
  await bar('continue').waitFor();
});
// What the worker knew is what tells why something did not come.
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(JSON.stringify(await product.stored(), null, 1)));
});
afterAll(async () => {
  await product?.end();
  rmSync(folder, { recursive: true, force: true });
});

const addressOf = ({ id, project: inside }: Conversation) =>
  inside === null ? `${ORIGIN}/c/${id}` : `${ORIGIN}/g/${inside}/c/${id}`;
const keyOf = ({ id }: Conversation) => `${ORIGIN}/c/${id}`;
const bar = (action: string) => page.locator(`[data-action="${action}"]`);
const said = (conversation: Conversation, beginning: string) =>
  conversation.turns.filter(({ role, text }) => role === 'user' && text.startsWith(beginning));

async function binding() {
  const { 'herdr.bindings': rows } = (await product.stored()) as { 'herdr.bindings': Record<string, Row> };
  const [only, ...others] = Object.values(rows);
  expect(others).toEqual([]);
  return only;
}
interface Row {
  scope: string;
  scopeKey: string;
  workspace: string;
  continuityId: string;
  target: { conversation: string } | null;
  activity: { status: string; progress: { checkedAt: number } };
}

/** A person's own words, typed and sent. */
async function write(text: string): Promise<void> {
  await page.locator('#prompt-textarea').click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

describe('a real task, as a person would accept it', () => {
  it('1. the intended browser scope is bound to the intended workspace; a Project’s binding and its active conversation are two things', async () => {
    verifies('extension.binding', 'extension.uat');
    await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: shell.workspace_id });
    const bound = await binding();
    expect(bound).toMatchObject({ scope: 'project', scopeKey: project.key, workspace: shell.workspace_id });
    expect(bound?.target?.conversation).toBe(keyOf(chat));
    // Another chat of the Project: looking at it moves nothing, a person's turn there moves the target alone.
    const other = product.site.truth.conversation({ title: 'Another', project: project.id });
    await page.goto(addressOf(other));
    await bar('continue').waitFor();
    expect(await binding()).toMatchObject({ target: { conversation: keyOf(chat) } });
    await write('here for a moment');
    await until('the target', async () => (await binding())?.target?.conversation === keyOf(other));
    expect(await binding()).toMatchObject({ scopeKey: project.key, continuityId: bound?.continuityId });
    await page.goto(addressOf(chat));
    await bar('continue').waitFor();
    await write('and back');
    await until('the target', async () => (await binding())?.target?.conversation === keyOf(chat));
  });

  it('2. Auto is on in the right scope, and in no other', async () => {
    verifies('extension.auto', 'extension.uat');
    await product.panel('panel.config', { config: { projectPermission: true } });
    await page.locator('[data-action="auto"][aria-pressed="false"]').click();
    await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
    const { 'herdr.auto': auto } = await product.stored();
    expect(auto).toMatchObject({ projects: { [project.id]: true }, conversations: {} });
  });

  it('3. a real agent’s task goes to working', async () => {
    verifies('extension.uat', 'extension.progress');
    await product.herdr.call('agent.prompt', { target: 'worker', text: `work ${done}` });
    await until('work is seen', async () => (await binding())?.activity.status === 'working');
    await hasStatus(product.herdr, 'worker', ['working']);
  });

  it('4. new output makes one progress message, and no spam', async () => {
    verifies('extension.uat', 'compat.progress', 'extension.progress');
    const told = () => said(chat, 'Herdr').length;
    const before = told();
    writeFileSync(`${done}.more`, 'found the fault in read()\n');
    await until('it is on the screen', async () => (await product.herdr.screen(shell.pane_id)).includes('the fault'));
    await inTime('a progress message', () => told() > before);
    expect(said(chat, 'Herdr').at(-1)?.text).toContain('found the fault in read()');
    await until('it was answered', () => chat.turns.at(-1)?.status === 'finished_successfully');
    const checked = (await binding())?.activity.progress.checkedAt ?? 0;
    await inTime('another check', async () => ((await binding())?.activity.progress.checkedAt ?? 0) > checked);
    expect(told()).toBe(before + 1);
  });

  it('5. the settle of the workspace wakes the planner', async () => {
    verifies('extension.wake', 'extension.uat');
    const before = said(chat, 'Herdr').length;
    writeFileSync(done, '');
    await until('the wake', () => said(chat, 'Herdr').length > before);
    await until('it was answered', () => chat.turns.at(-1)?.status === 'finished_successfully');
    expect(said(chat, 'Herdr')).toHaveLength(before + 1);
    await until('it is known to have arrived', async () => {
      const { 'herdr.deliveries': all } = (await product.stored()) as {
        'herdr.deliveries': Record<string, { state: string }>;
      };
      return Object.values(all).every(({ state }) => state === 'sent');
    });
  });

  it('6. after a reload and after a restart of the browser the binding is the same, and nothing is told twice', async () => {
    verifies('extension.binding', 'extension.uat');
    const before = await binding();
    const told = said(chat, 'Herdr').length;
    await page.reload();
    await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
    await product.restartBrowser();
    page = await product.context.newPage();
    await page.goto(addressOf(chat));
    await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
    const { scope, scopeKey, workspace, continuityId, target } = before as Row;
    expect(await binding()).toMatchObject({ scope, scopeKey, workspace, continuityId, target });
    expect(said(chat, 'Herdr')).toHaveLength(told);
  });

  it('7. a handoff moves the Project’s target only once the new chat was proved; the same message may be copied after a proved failure, and never in doubt', async () => {
    verifies('extension.handoff', 'extension.uat');
    const line = () => page.locator('[data-part="handoff"]');
    const target = async () => (await binding())?.target?.conversation;
    // What certainly did not go out: its tab was closed before there was anything in it.
    product.context.once('page', (opened) => void opened.close());
    await bar('handoff').click();
    await page.locator('[data-part="handoff"][data-phase="failed"]').waitFor();
    await line().locator('[data-action="copy_prompt"]').click();
    expect(await target()).toBe(keyOf(chat));
    const { copy } = await handed(chat);
    // The Side Panel shows how it stands, and has no button of its own for it.
    const panel = await product.own('sidepanel.html', `?tab=${await product.tabOf(page)}`);
    await panel.locator('[data-part="handoff"]').waitFor();
    expect(await panel.getByRole('button', { name: /hand.?(off|over)|copy/i }).count()).toBe(0);
    await panel.close();
    expect(copy).toContain(`continuity_id=${(await binding())?.continuityId}`);

    // The same message, by the same way, and now it arrives.
    const chats = new Set(product.site.truth.conversations.keys());
    await bar('handoff').click();
    const made = await until('the new chat', () =>
      [...product.site.truth.conversations.values()].find(({ id, turns }) => !chats.has(id) && turns.length > 0),
    );
    expect(made.turns[0]?.text).toBe(copy);
    expect(made.project).toBe(project.id);
    // The tab that handed over is put to sleep; the target tells that it is done.
    await until('the target', async () => (await target()) === keyOf(made));
    expect(await binding()).toMatchObject({ scopeKey: project.key });

    // One of which nothing is known: nothing to copy, and the target stays.
    page = await until('its page', () => product.context.pages().find((one) => one.url().includes(made.id)));
    await until('it was answered', () => made.turns.at(-1)?.status === 'finished_successfully');
    product.site.faults.send = 'swallow';
    await until('it may be handed over', () => bar('handoff').isEnabled());
    await bar('handoff').click();
    await page.locator('[data-part="handoff"][data-phase="uncertain"]').waitFor();
    expect(await line().locator('[data-action="copy_prompt"]').count()).toBe(0);
    expect((await binding())?.target?.conversation).toBe(keyOf(made));
    product.site.faults.send = 'accept';
  });
});

/** What is kept of a handoff that is over. */
async function handed(source: Conversation): Promise<{ copy: string | null }> {
  const { 'herdr.handed': over } = (await product.stored()) as {
    'herdr.handed': Record<string, { copy: string | null }>;
  };
  return over[keyOf(source)] ?? { copy: null };
}

/**
 * What comes with the next look at the output. A worker that a page woke between the two writes has read the old time: then
 * time is brought forward once more.
 */
async function inTime(what: string, came: () => boolean | Promise<boolean>): Promise<void> {
  await until(
    what,
    async () => {
      await halfAMinuteLater();
      return until(what, came, 5_000).catch(() => false);
    },
    90_000,
  );
}

/** As if the time between two looks at the output were over: the clock that was written down is put back. */
async function halfAMinuteLater(): Promise<void> {
  const own = await product.own('options.html');
  await product.stopWorker();
  await own.evaluate(async () => {
    const { 'herdr.bindings': rows } = (await chrome.storage.local.get('herdr.bindings')) as {
      'herdr.bindings': Record<string, { activity: { progress: { checkedAt: number } } }>;
    };
    for (const { activity } of Object.values(rows)) activity.progress.checkedAt -= 60_000;
    await chrome.storage.local.set({ 'herdr.bindings': rows });
  });
  // A worker that starts sets its alarm anew; then it is brought forward.
  await until('the worker is back', async () => (await product.state()).runtime === 'connected');
  await own.evaluate(() => chrome.alarms.create('herdr', { when: Date.now(), periodInMinutes: 0.5 }));
  await own.close();
}
