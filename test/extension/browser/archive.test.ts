/**
 * A chat of a Project is archived by a caller: by its current user message in no turn, in none of two tabs, and its own tab
 * is put away at the Project's home, but never under a person.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { askOverSocket } from '../../../cli/runtime/index.ts';
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { type Conversation, ORIGIN, type Turn } from '../../sites/chatgpt/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const TURNS: [Turn['role'], string][] = [
  ['user', 'Hello.'],
  ['assistant', 'Hello! It is done.'],
];

let product: Product;
let project: { id: string; slug: string };

beforeAll(async () => {
  product = await startProduct();
  project = product.site.truth.project('Plans');
  const answer = await product.panel('panel.consent', { set: null });
  if (!answer.ok || answer.value === null) throw new Error('nobody says what is allowed');
  await product.panel('panel.consent', { set: { webchat: true, revision: answer.value.revision } });
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(JSON.stringify(await product.stored(), null, 1)));
});
afterAll(() => product?.end());

const ask = <T = DispatchView & { ok: boolean; code?: string }>(method: string, params: Record<string, unknown>) =>
  askOverSocket(`herdr_mcp.browser_${method}`, params, { HERDR_MCP_STATE_DIR: product.runtime.stateDir }) as Promise<T>;

const addressOf = ({ id }: Conversation) => `${ORIGIN}/g/${project.id}-${project.slug}/c/${id}`;

/** A chat of the Project that a person has open. */
async function opened(title: string): Promise<{ chat: Conversation; page: Page; named: Record<string, unknown> }> {
  const chat = product.site.truth.conversation({ title, project: project.id, turns: TURNS });
  const page = await product.context.newPage();
  await page.goto(addressOf(chat));
  await page.locator('[data-action="continue"]').waitFor();
  const known = await until(`${title} at the runtime`, async () => {
    const found = await ask<{ session_ref?: string; observation_generation?: number; account_known?: boolean }>(
      'source.resolve',
      { source_url: addressOf(chat) },
    );
    return found.account_known === true ? found : undefined;
  });
  const named = { session_ref: known.session_ref, expected_generation: known.observation_generation };
  return { chat, page, named };
}

const ended = (dispatch_id: string) =>
  until('what became of it', async () => {
    const now = await ask('dispatch.status', { dispatch_id });
    return now.delivery_state === 'applied' ? now : undefined;
  });
const isOpen = (url: string) => product.context.pages().some((page) => page.url() === url);

it('in two tabs nothing is done for a caller; in the one that is left it is', async () => {
  verifies('bridge.two-tabs');
  const { chat, page, named } = await opened('Twice');
  const second = await product.context.newPage();
  await second.goto(addressOf(chat));
  await second.locator('[data-action="continue"]').waitFor();
  const refused = { ok: false, code: 'browser_canonical_url_ambiguous', delivery: 'not_delivered' };
  const turns = chat.turns.length;
  for (const [method, more] of [
    ['session.open', {}],
    ['session.archive', {}],
    ['dispatch.submit', { message: 'Hello twice.' }],
    ['dispatch.stop', {}],
  ] as const) {
    const asked = { ...named, ...more, idempotency_key: `two-${method}` };
    expect(await ask(method, asked), method).toMatchObject({ ...refused, delivery_state: 'rejected' });
  }
  expect([chat.turns.length, product.site.menu, chat.archived]).toEqual([turns, [], false]);
  for (const one of [page, second]) expect(await one.locator('#prompt-textarea').textContent()).toBe('');
  // A tab that has gone elsewhere does not say so; it is asked.
  await second.goto('about:blank');
  // What was proved undelivered is done once more under its key.
  const shown = await ask('session.open', { ...named, idempotency_key: 'two-session.open' });
  expect(shown).toMatchObject({ ok: true, delivery_state: 'applied' });
  await page.close();
  await second.close();
});

it('by its current user message, when the turn in which it was asked is over; its tab, which nobody has in front, is closed', async () => {
  verifies('bridge.archive-self', 'bridge.archive-tab');
  const { site } = product;
  const { chat, page } = await opened('Ends itself');
  let finish = () => {};
  site.answer = (reply) => {
    reply.write('I archive this');
    finish = () => void reply.write(' chat.').finish();
  };
  await page.locator('#prompt-textarea').click();
  await page.keyboard.insertText('Thank you, that is all. Archive this chat.');
  await page.keyboard.press('Enter');
  // Asked from within the turn, as a planner does: as soon as the browser has told of it.
  const words = { current_user_message: 'Thank you, that is all.\nArchive this chat.', idempotency_key: 'by-words' };
  const asked = await until('the turn at the runtime', async () => {
    const answer = await ask('session.archive', words);
    return answer.code === 'browser_resource_not_found' ? undefined : answer;
  });
  expect(asked).toMatchObject({ ok: false, delivery_state: 'uncertain', execution_state: 'queued' });
  // Right after it was sent, the page may not say yet how its composer stands.
  expect(['turn_in_progress', 'page_unreadable']).toContain(asked.reason);
  expect(site.menu).toEqual([]);
  const elsewhere = await product.context.newPage();
  await elsewhere.goto('about:blank');
  await elsewhere.bringToFront();
  finish();
  expect(await ended(asked.dispatch_id)).toMatchObject({ tab_outcome: 'closed', reason: null });
  expect([site.menu, chat.archived, page.isClosed()]).toEqual([['archive'], true, true]);
  await elsewhere.close();
});

it('in a tab that a person has in front: it stays, and the answer says so', async () => {
  verifies('bridge.archive-tab');
  const { chat, page, named } = await opened('In front');
  await page.bringToFront();
  // It may wait a moment for a page that has just come.
  const { dispatch_id } = await ask('session.archive', { ...named, idempotency_key: 'in-front' });
  expect(await ended(dispatch_id)).toMatchObject({ tab_outcome: 'kept_in_use' });
  expect([chat.archived, page.isClosed()]).toEqual([true, false]);
  await page.close();
});

it('in a tab that was opened for it and that nobody touched: it is closed, also in front', async () => {
  verifies('bridge.archive-tab');
  const { chat, page, named } = await opened('Not open');
  await page.close();
  const before = product.context.pages().length;
  const { dispatch_id } = await ask('session.archive', { ...named, idempotency_key: 'not-open' });
  expect(await ended(dispatch_id)).toMatchObject({ tab_outcome: 'closed' });
  expect([chat.archived, product.context.pages().length]).toEqual([true, before]);
  expect(isOpen(`${ORIGIN}/g/${project.id}-${project.slug}/project`)).toBe(false);
});
