/**
 * A local agent drives web chats from its own pane: it creates one, is woken with a pointer to each answer, asks again, and
 * hands over; and on sites beyond ChatGPT one whole message, its answer and a stop go through the same service.
 * Long because each file here starts the whole product with a Chromium.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { askOverSocket } from '../../../cli/runtime/index.ts';
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { run } from '../../../local/spawn/index.ts';
import { COMMAND } from '../../cli/fake-edge.ts';
import { hasStatus, startAgent } from '../../embedded-herdr/harness/index.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import type { PlainSite } from '../../sites/base/index.ts';
import { type Conversation, ORIGIN } from '../../sites/chatgpt/index.ts';
import { openClaude } from '../../sites/claude/index.ts';
import { openGemini } from '../../sites/gemini/index.ts';
import { openGrok } from '../../sites/grok/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

// Under load Chromium takes its time; what is awaited here comes, and no time is asserted.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const LOCAL_AGENT = fileURLToPath(new URL('local-agent', import.meta.url));
const SITES = ['claude', 'gemini', 'grok'] as const;

let product: Product;
let page: Page;
let source: Conversation;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hv-'));
  product = await startProduct({ allowed: SITES });
  const shell = await product.herdr.open('driver', {
    env: {
      PATH: `${LOCAL_AGENT}:${process.env.PATH}`,
      HERDR_MCP_COMMAND: COMMAND,
      HERDR_MCP_STATE_DIR: product.runtime.stateDir,
      AGENT_LOG: join(folder, 'log'),
    },
  });
  writeFileSync(join(folder, 'log'), '');
  await startAgent(product.herdr, shell, 'driver');
  await hasStatus(product.herdr, 'driver', ['idle', 'done']);
  source = product.site.truth.conversation({ title: 'The parser' });
  page = await product.context.newPage();
  await page.goto(`${ORIGIN}/c/${source.id}`);
  await page.locator('[data-action="continue"]').waitFor();
  await product.panel('panel.bind', { tab: await product.tabOf(page), workspace: shell.workspace_id });
  // A first turn, so that there is a line of work.
  await page.locator('[data-action="continue"]').click();
  await until('a line of work', () => source.turns.at(-1)?.status === 'finished_successfully');
});
// What the worker knew is what tells why something did not come.
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(JSON.stringify(await product.stored(), null, 1), log()));
});
afterAll(async () => {
  await product?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** What the agent did, oldest first. */
const log = (): Record<string, unknown>[] =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A look by the socket alone, for what is looked at until it comes. */
const look = <T>(method: string, params: Record<string, unknown>): Promise<T> =>
  askOverSocket(`herdr_mcp.browser_${method}`, params, { HERDR_MCP_STATE_DIR: product.runtime.stateDir }) as Promise<T>;

/** As a person at this workstation, outside of every pane. */
async function webchat<T = DispatchView>(...args: string[]): Promise<T & { ok: boolean; code?: string }> {
  const { stdout, stderr } = await run(process.execPath, [COMMAND, 'webchat', ...args, '--json'], {
    env: { ...process.env, HERDR_MCP_STATE_DIR: product.runtime.stateDir, HERDR_PANE_ID: '' },
  });
  const said = stdout.toString();
  if (said === '') return { ok: false, code: stderr.toString() } as T & { ok: boolean; code?: string };
  return JSON.parse(said) as T & { ok: boolean };
}

async function consent(allowed: boolean): Promise<void> {
  const answer = await product.panel('panel.consent', { set: null });
  if (!answer.ok || answer.value === null) throw new Error('nobody says what is allowed');
  const { revision } = answer.value;
  await product.panel('panel.consent', { set: { webchat: allowed, revision } });
}

const others = (): Conversation[] =>
  [...product.site.truth.conversations.values()].filter(({ id }) => id !== source.id);

describe('a local agent in its own pane', () => {
  it('may do nothing in a chat before the person allowed it in the browser', async () => {
    verifies('bridge.local-agents');
    const refused = await webchat('create', 'Hello.', '--source-url', `${ORIGIN}/c/${source.id}`);
    expect(refused).toMatchObject({ ok: false, code: expect.stringContaining('Side Panel') });
    expect(others()).toEqual([]);
  });

  it('creates a chat, is woken with each result, asks again in it, and hands over to a third', async () => {
    verifies('bridge.local-agents');
    await consent(true);
    product.site.answer = (reply, user) => {
      const asked = user.text.includes('continuity_id=')
        ? 'Resumed.'
        : `About ${user.text.slice(0, 20)}: read() drops it.`;
      reply.write(asked).finish();
    };
    const { 'herdr.bindings': rows } = (await product.stored()) as {
      'herdr.bindings': Record<string, { continuityId: string }>;
    };
    const [{ continuityId = '' } = {}] = Object.values(rows);
    await product.herdr.call('agent.prompt', {
      target: 'driver',
      text: `review ${ORIGIN}/c/${source.id} ${continuityId}`,
    });
    await until('it has handed over', () => log().some((entry) => 'handedTo' in entry || 'failed' in entry), 150_000);
    expect(log()).toMatchObject([
      { did: 'create', state: 'applied' },
      { did: 'result' },
      { read: 'About Please review the pa: read() drops it.' },
      { did: 'send', state: 'applied' },
      { did: 'result' },
      { read: 'About Which test shows it?: read() drops it.' },
      { did: 'handoff' },
      { handedTo: expect.stringMatching(/^br_/) },
    ]);
    const [made, third, ...more] = others();
    expect(more).toEqual([]);
    expect(made?.turns.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'Please review the parser.\n\nIt drops blank lines.',
      'Which test shows it?',
    ]);
    expect(third?.turns[0]?.text).toContain(`continuity_id=${continuityId}`);
    expect(third?.turns.filter(({ role }) => role === 'user')).toHaveLength(1);
    // What was handed over is what the agent was told of; the chat that it came from heard nothing.
    expect(source.turns.filter(({ text }) => text.includes('parser'))).toEqual([]);
  });

  it('does for one account what was meant for it, and for another one, or nobody, nothing at all', async () => {
    verifies('bridge.accounts');
    const { site } = product;
    const [owner, beside] = [site.signedIn, `${ORIGIN}/c/${source.id}`];
    const session = await sessionOf('chatgpt', beside);
    const before = { chats: others().length, turns: source.turns.length };
    for (const [signedIn, reason] of [
      [{ user: 'user-of-another', workspace: null }, 'account_changed'],
      [{ user: 'user-stand-in', workspace: 'the company' }, 'account_changed'],
      [null, 'signed_out'],
      ['unreadable', 'account_unknown'],
    ] as const) {
      site.signedIn = signedIn;
      const rejected = { ok: false, delivery_state: 'rejected', reason };
      expect(await webchat('send', session, 'For one account.')).toMatchObject(rejected);
      expect(await webchat('create', 'For one account.', '--source-url', beside)).toMatchObject(rejected);
    }
    expect(await page.locator('#prompt-textarea').textContent()).toBe('');
    const opened = () => product.context.pages().filter((one) => one.url() === `${ORIGIN}/`);
    await until('pages that were opened for nothing are closed', () => opened().length === 0);
    expect({ chats: others().length, turns: source.turns.length }).toEqual(before);
    site.signedIn = owner;
    expect(await webchat('send', session, 'For this account.')).toMatchObject({ ok: true, delivery_state: 'applied' });
    // Who they are is known to their site, and to nobody here.
    const { stateDir } = product.runtime;
    const kept = ['state.db', 'state.db-wal'].map((name) => readFileSync(join(stateDir, name)).toString('latin1'));
    for (const text of [...kept, JSON.stringify(await product.stored())])
      expect(text).not.toMatch(/user-stand-in|user-of-another|the company|Jane Doe|@example\.com/);
  });

  it('sends nothing that the person has taken back while it stood in the composer', async () => {
    verifies('bridge.accounts', 'bridge.local-agents');
    const session = await sessionOf('chatgpt', `${ORIGIN}/c/${source.id}`);
    const before = source.turns.length;
    const composer = page.locator('#prompt-textarea');
    // The site is slow to say who is signed in, once the words have been typed.
    let answers = (): void => undefined;
    const goOn = new Promise<void>((resolve) => {
      answers = resolve;
    });
    const asked = `${ORIGIN}/api/auth/session`;
    await page.route(asked, async (route) => {
      if ((await composer.textContent()) !== '') await goOn;
      await route.fallback();
    });
    const sending = webchat('send', session, 'Taken back.');
    await until('the words are typed', async () => (await composer.textContent()) === 'Taken back.');
    await consent(false);
    answers();
    const rejected = { ok: false, delivery_state: 'rejected', reason: 'consent_withdrawn' };
    expect(await sending).toMatchObject(rejected);
    expect(await composer.textContent()).toBe('');
    expect(source.turns).toHaveLength(before);
    await page.unroute(asked);
    await consent(true);
    expect(await webchat('send', session, 'Given again.')).toMatchObject({ ok: true, delivery_state: 'applied' });
  });

  it('archives a chat in none of its turns, by the site’s own menu, and the site’s server says so', async () => {
    verifies('bridge.local-agents', 'bridge.archive');
    const [made] = others();
    if (made === undefined) throw new Error('no chat was made');
    // The one that was made: a page that was loaded under another account belongs to that one.
    const created = await look<DispatchView>('dispatch.status', { dispatch_id: log()[0]?.['dispatch'] });
    const session = created.session_ref ?? '';
    const reply = product.site.reply(made).write('I am still at it');
    await until('the turn at the extension', async () => {
      const { 'herdr.tabs': tabs } = (await product.stored()) as {
        'herdr.tabs': Record<string, { page: { conversation: string }; state: { busy: boolean } }>;
      };
      return Object.values(tabs).some((tab) => tab.page.conversation === `${ORIGIN}/c/${made.id}` && tab.state.busy);
    });
    const waits = { ok: false, execution_state: 'queued', reason: 'turn_in_progress' };
    const asked = await webchat('archive', session, '--key', 'mid-turn');
    expect(asked).toMatchObject(waits);
    expect(product.site.menu).toEqual([]);
    reply.write(', and now I am done.').finish();
    await until('it is archived', async () => {
      const now = await look<DispatchView>('dispatch.status', { dispatch_id: asked.dispatch_id });
      expect(['applied', 'uncertain'], `${now.delivery_state}: ${now.reason}`).toContain(now.delivery_state);
      return now.delivery_state === 'applied';
    });
    expect(made.archived).toBe(true);
    expect(product.site.menu).toEqual(['archive']);
    expect(await webchat('archive', session, '--key', 'mid-turn')).toMatchObject({ ok: true, reason: null });
    expect(product.site.menu).toEqual(['archive']);
    expect(await webchat('archive-status', session)).toMatchObject({ archive_state: 'archived' });
  });
});

/** The ref under which a chat was shown; what is on a site that is not ChatGPT is known a moment after its page. */
async function sessionOf(provider: string, address: string): Promise<string> {
  interface Listed {
    resources?: { resource_ref: string; canonical_url: string | null }[];
  }
  const { endpoints } = await look<{ endpoints: { endpoint_ref: string }[] }>('endpoint.list', {});
  const params = { endpoint_ref: endpoints[0]?.endpoint_ref, provider, kind: 'session' };
  return until(`${address} at the runtime`, async () => {
    const { resources } = await look<Listed>('resource.list', params);
    return resources?.find(({ canonical_url }) => canonical_url === address)?.resource_ref;
  });
}

describe('sites beyond ChatGPT', () => {
  const OPEN = { claude: openClaude, gemini: openGemini, grok: openGrok } as const;

  /** A chat that a person has open, with a draft in it. */
  async function opened(provider: (typeof SITES)[number]): Promise<{ site: PlainSite; chat: Conversation; tab: Page }> {
    const site = await OPEN[provider](product.context);
    const id = provider === 'gemini' ? '0123456789abcdef' : '5b0f6f4e-1111-4222-8333-444455556666';
    const chat = site.truth.conversation({
      id,
      title: 'Review',
      turns: [
        ['user', 'Hello.'],
        ['assistant', 'Hello!'],
      ],
    });
    const tab = await product.context.newPage();
    await tab.goto(site.address(chat));
    await tab.waitForSelector('body[data-ready]', { state: 'attached' });
    await tab.evaluate(() => window.visitor.type('a draft'));
    return { site, chat, tab };
  }

  it('take one whole message, tell its answer, are stopped, and do nothing else', async () => {
    verifies('bridge.local-agents', 'extension.asked-sites');
    const all = await Promise.all(SITES.map(opened));
    // Switched on while a person has the chats open: they are reached without a reload, which might take a draft away.
    await product.panel('panel.config', { config: { sites: SITES } });
    await Promise.all(SITES.map((provider, at) => tryOut(provider, all[at] as (typeof all)[number])));
  });

  async function tryOut(provider: string, { site, chat, tab }: Awaited<ReturnType<typeof opened>>): Promise<void> {
    const session = await sessionOf(provider, site.address(chat));
    const message = 'Which test shows it?\n\n  The blank lines matter.';
    expect(await webchat('send', session, message)).toMatchObject({ ok: false, reason: 'user_typing' });
    expect(await tab.evaluate(() => window.visitor.draft())).toBe('a draft');
    await tab.locator('[contenteditable="true"]').click();
    await tab.keyboard.press('ControlOrMeta+A');
    await tab.keyboard.press('Delete');

    site.answer = (reply) => reply.write('None yet.\n\nI would add one.').finish();
    const sent = await webchat('send', session, message);
    expect(sent).toMatchObject({ ok: true, delivery_state: 'applied', operation: 'composer.submit' });
    const settled = await until('the answer', async () => {
      const now = await look<DispatchView>('dispatch.status', { dispatch_id: sent.dispatch_id });
      return now.execution_state === 'settled' ? now : undefined;
    });
    expect(settled.result).toMatchObject({ chars: 'None yet.\n\nI would add one.'.length });
    expect(await webchat('result', sent.dispatch_id)).toMatchObject({ text: 'None yet.\n\nI would add one.' });

    site.answer = (reply) => void reply.write('I count: 1, 2, 3');
    expect(await webchat('send', session, 'Count.')).toMatchObject({ ok: true });
    await until('it is being written', () => chat.turns.at(-1)?.text.startsWith('I count') ?? false);
    const stopped = await webchat('stop', session);
    expect(stopped).toMatchObject({ ok: true, operation: 'generation.stop', delivery_state: 'applied' });
    expect(chat.turns.at(-1)?.status).toBe('finished_successfully');
    expect(site.sent).toEqual([message, 'Count.']);
    expect(await look('session.open', { ...named(session, sent), idempotency_key: `open-${provider}` })).toMatchObject({
      ok: false,
      code: 'unsupported',
      capability: 'session.open',
    });
    await tab.close();
  }
});

const named = (session: string, { expected_generation }: DispatchView) => ({
  session_ref: session,
  expected_generation,
});
