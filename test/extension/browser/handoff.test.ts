/**
 * The long way: a chat of a Project grows too long, Auto hands it over, the new chat resumes the line of work over MCP, a
 * person's queued words and the switch go with it, and what the workstation has to say goes to the new chat from then on.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import type { Conversation, Turn } from '../../sites/chatgpt/index.ts';
import { ORIGIN } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let product: Product;
let page: Page;
let source: Conversation;
let project: { id: string; slug: string };
let shell: { pane_id: string; workspace_id: string };

beforeAll(async () => {
  product = await startProduct({ agentSeconds: 1 });
  shell = await product.agent('worker');
  const { truth } = product.site;
  project = truth.project('Plans');
  const turns = Array.from({ length: 25 }, (_, index): [Turn['role'], string][] => [
    ['user', `Question ${index}`],
    ['assistant', `Answer ${index}. It is done.`],
  ]).flat();
  source = truth.conversation({ title: 'The parser', project: project.id, turns });
  page = await product.context.newPage();
  await page.goto(`${ORIGIN}/g/${project.id}-${project.slug}/c/${source.id}`);
  await page.locator('[data-action="continue"]').waitFor();
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: shell.workspace_id });
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    console.error(JSON.stringify(await product.stored(), null, 1));
    console.error(JSON.stringify(others().map(({ turns }) => turns)));
    const [running] = Object.values(
      ((await product.stored())['herdr.transfers'] ?? {}) as Record<string, { dispatch: string }>,
    );
    if (running) {
      const { dispatch_id } = { dispatch_id: running.dispatch };
      const { json } = await product.runtime.call(
        'herdr_call',
        { method: 'herdr_mcp.browser_dispatch.status', params: JSON.stringify({ dispatch_id }) },
        { principal: { kind: 'local', id: 'cli', label: 'x' } },
      );
      console.error('DISPATCH', JSON.stringify(json));
    }
  });
});
afterAll(() => product.end());

const button = (on: Page, action: string) => on.locator(`[data-action="${action}"]`);
const others = (): Conversation[] =>
  [...product.site.truth.conversations.values()].filter(({ id }) => id !== source.id);
const settled = (text: string) => text.startsWith('Herdr:');

it('a long chat is handed over once, and everything that belongs to the work goes with it', async () => {
  verifies('extension.handoff', 'compat.move', 'extension.auto');
  // What stands in the chat is in the journal; then Auto may act.
  await button(page, 'continue').click();
  await until(
    'the turn is over',
    () => source.turns.at(-1)?.status === 'finished_successfully' && source.turns.length > 51,
  );
  const named = JSON.stringify({ conversation_url: `${ORIGIN}/c/${source.id}` });
  await until('the journal has it', async () => {
    const { json } = await product.runtime.call('herdr_call', { method: 'continuity.resume', params: named });
    return JSON.stringify(json.turns ?? null).includes('I read this');
  });
  await product.panel('panel.config', { config: { projectPermission: true } });
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  await product.context.route('**/project', async (route) => {
    await gate;
    await route.fallback();
  });
  const resumed: Record<string, unknown>[] = [];
  product.site.answer = async (reply, user) => {
    const asked = /params ("(?:[^"\\]|\\.)*")/.exec(user.text)?.[1];
    if (asked !== undefined) {
      const { json } = await product.runtime.call('herdr_call', {
        method: 'continuity.resume',
        params: JSON.parse(asked),
      });
      resumed.push(json);
      reply.write(`Resumed ${String(json.continuity_id)}: it is done.`);
    } else reply.write('It is done.');
    reply.finish();
  };
  await button(page, 'auto').click();
  await page.locator('[data-part="handoff"]').waitFor({ timeout: 90_000 });
  // The new chat is not there yet: a person's next words wait for where the work goes on.
  await page.locator('#prompt-textarea').click();
  await page.keyboard.type('and then the docs');
  await page.locator('[data-herdr="queue"] button').click();
  await until('queued', async () => JSON.stringify(await product.stored()).includes('and then the docs'));
  open();
  await until('the new chat', () => others().some(({ turns }) => turns.length > 0));
  await until('the cut-over', async () =>
    JSON.stringify((await product.stored())['herdr.handed']).includes('committed'),
  );

  const [target] = others();
  if (target === undefined) throw new Error('no new chat');
  expect(others()).toHaveLength(1);
  expect(target.project).toBe(project.id);
  expect(target.turns[0]?.text).toContain('[HERDR_CONTINUITY_REF id=hh_');
  await until('resumed over MCP', () => resumed.length > 0);
  expect(resumed).toMatchObject([{ ok: true, turns: expect.anything() }]);
  expect(JSON.stringify(resumed[0]?.turns)).toContain('I read this');

  // The queued words came after the new chat's first answer, once.
  await until('the Queue', () => target.turns.some(({ text }) => text === 'and then the docs'));
  await until('the new chat is quiet', () => target.turns.at(-1)?.status === 'finished_successfully');
  const there = await until('its page', () => product.context.pages().find((one) => one.url().includes(target.id)));
  await there.locator('[data-action="auto"][aria-pressed="true"]').waitFor();
  const before = source.turns.length;
  await product.herdr.call('agent.prompt', { target: 'worker', text: 'one' });
  await until('the wake', () => target.turns.some(({ role, text }) => role === 'user' && settled(text)));
  expect(source.turns).toHaveLength(before);
  expect(target.turns.filter(({ text }) => text === 'and then the docs')).toHaveLength(1);
  const { 'herdr.bindings': rows, 'herdr.cutovers': left } = await product.stored();
  expect(Object.values(rows as Record<string, unknown>)).toMatchObject([
    { scope: 'project', scopeKey: `${ORIGIN}/g/${project.id}`, target: { conversation: `${ORIGIN}/c/${target.id}` } },
  ]);
  expect(left).toEqual({});
});
