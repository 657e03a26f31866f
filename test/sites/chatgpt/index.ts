/**
 * A local stand-in of the ChatGPT page. A browser context asks it under the real address, so that the extension's own
 * match patterns and address rules apply. The server side ({@link Truth}) lives in the test: it survives reloads, can be
 * ahead of what a page shows, can refuse, stall and rate-limit; every request is counted.
 *
 * What it has of the real page: an editor (ProseMirror) that owns its DOM; streaming answers; Send, Stop and a microphone
 * that take each other's place; Projects, `/c/` addresses without a load; a history of which only the end is mounted;
 * branches that begin where a stale page sends on; connector pills and the menu that makes them; permission cards; error cards with Retry; the conversation API in both
 * shapes; 429; days on which the test ids are others.
 */
import type { BrowserContext, Request, Route } from 'playwright-core';
import { pageScript } from '../base/bundle.ts';
import { type Conversation, Reply, Truth, type Turn } from '../base/truth.ts';
import { PAGE } from './document.ts';
import { USUAL } from './names.ts';
import { type SnapshotShape, snapshot } from './snapshot.ts';
import type { Looks, SendAnswer, View } from './wire.ts';

export type { Card, Conversation, Reply, Turn } from '../base/truth.ts';
export { COMPOSER_RENAMED, TEST_IDS_RENAMED, USUAL } from './names.ts';

export const ORIGIN = 'https://chatgpt.com';

/** What goes wrong. Each holds until it is set back. */
export interface Faults {
  /**
   * `accept`: as it should. `swallow`: the press is consumed and nothing happens. `accept_unanswered`: the server has the
   * turn, the page hears nothing. `error`: an error card with Retry, the server has nothing. `error_after_accept`: the
   * same, and the server has the turn and gives it no answer. `rate_limited`: 429.
   */
  send: 'accept' | 'swallow' | 'accept_unanswered' | 'error' | 'error_after_accept' | 'rate_limited';
  /** Whether pages hear of changes at all: `frozen` is a view that stays behind the server. */
  view: 'live' | 'frozen';
  /** `swallow`: the entry is pressed and nothing comes of it. */
  archive: 'accept' | 'swallow';
  /** How the conversation API answers. */
  snapshot: SnapshotShape | 'unauthorised' | 'missing' | 'rate_limited' | 'silent' | 'broken';
}

export interface ChatGpt {
  readonly truth: Truth;
  readonly faults: Faults;
  readonly looks: Looks;
  /** Who is signed in, and in which workspace; null: nobody. `unreadable`: the site's session cannot be read today. */
  signedIn: { user: string; workspace: string | null } | null | 'unreadable';
  /** Every request under the real site's own addresses, oldest first. */
  readonly requests: string[];
  /** What was chosen in the menus of chats, oldest first. */
  readonly menu: string[];
  /** When each of them came, ms since 1970. */
  readonly requestedAt: number[];
  /** Called for each accepted user turn; makes the answer. By default a short one that ends at once. */
  answer: (reply: Reply, user: Turn, conversation: Conversation) => void | Promise<void>;
  reply(conversation: Conversation): Reply;
}

/** Answers for the real address in this browser context, for as long as the context lives. */
export async function openChatGpt(context: BrowserContext): Promise<ChatGpt> {
  const truth = new Truth();
  const site: ChatGpt = {
    truth,
    faults: { send: 'accept', view: 'live', archive: 'accept', snapshot: 'list' },
    looks: {
      names: USUAL,
      mounted: 200,
      connectors: [],
      suggestion: null,
      archive: 'one',
      mode: null,
      sluggish: false,
    },
    signedIn: { user: 'user-stand-in', workspace: null },
    requests: [],
    menu: [],
    requestedAt: [],
    answer: (reply, user) => reply.write(`I read this: ${user.text.slice(0, 80)}`).finish(),
    reply: (conversation) => new Reply(truth, conversation),
  };
  await serveChatGpt(context, site);
  return site;
}

/** Also in another browser: what was said is with the site. */
export async function serveChatGpt(context: BrowserContext, site: ChatGpt): Promise<void> {
  await context.route(`${ORIGIN}/**`, (route, request) => serve(site, route, request));
}

async function serve(site: ChatGpt, route: Route, request: Request): Promise<void> {
  const url = new URL(request.url());
  const { pathname } = url;
  if (!pathname.startsWith('/stand-in/')) {
    site.requests.push(`${request.method()} ${pathname}`);
    site.requestedAt.push(Date.now());
  }
  const json = (body: unknown, status = 200) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
  const conversation = shown(site, request.headers()['x-page-path'] ?? '');

  if (pathname === '/stand-in/page.js') {
    return route.fulfill({
      contentType: 'text/javascript',
      body: await pageScript(new URL('page/main.ts', import.meta.url)),
    });
  }
  if (pathname === '/stand-in/view') return json(view(site, conversation));
  if (pathname === '/stand-in/next') {
    await site.truth.after(Number(url.searchParams.get('revision')), 2_000);
    const frozen = site.faults.view === 'frozen' || conversation?.frozen === true;
    // A view that hears of nothing asks again, and not at once.
    if (frozen) await new Promise((resolve) => setTimeout(resolve, 300));
    return json(frozen ? null : view(site, conversation)).catch(() => undefined);
  }
  if (pathname === '/stand-in/card') {
    const { card, button } = request.postDataJSON() as { card: string; button: string };
    const found = conversation?.cards.find(({ id }) => id === card);
    found?.pressed.push(button);
    if (conversation !== undefined && found !== undefined) {
      conversation.cards.splice(conversation.cards.indexOf(found), 1);
      site.truth.touch(conversation);
    }
    return json({});
  }
  if (pathname === '/stand-in/chat') {
    const { what } = request.postDataJSON() as { what: string };
    if (conversation !== undefined) menuPressed(site, conversation, what);
    return json({});
  }
  if (pathname === '/stand-in/stop' || pathname === '/stand-in/retry') {
    if (conversation !== undefined) act(site, conversation, pathname);
    return json({});
  }
  if (pathname === '/backend-api/conversation') return send(site, route, request, conversation);
  if (pathname === '/api/auth/session') return answerSession(site, route);
  if (pathname === '/backend-api/gizmos/snorlax/sidebar') return json(sidebar(site));
  const asked = pathname.match(/^\/backend-api\/conversations?\/([^/]+)$/)?.[1];
  if (asked !== undefined) return answerSnapshot(site, route, request, asked);
  if (request.resourceType() === 'document') return route.fulfill({ contentType: 'text/html', body: PAGE });
  return route.fulfill({ status: 404, body: '' });
}

async function send(site: ChatGpt, route: Route, request: Request, shownHere: Conversation | undefined): Promise<void> {
  const { text, pills, parent } = request.postDataJSON() as { text: string; pills: string[]; parent: string | null };
  const json = (body: SendAnswer, status = 200) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
  if (site.faults.send === 'swallow') return route.abort();
  if (site.faults.send === 'rate_limited') {
    return json({ accepted: false, error: 'Too many requests', retryable: false }, 429);
  }
  if (site.faults.send === 'error') {
    if (shownHere !== undefined) {
      shownHere.threadError = 'Something went wrong.';
      site.truth.touch(shownHere);
    }
    return json({ accepted: false, error: 'Something went wrong.', retryable: true });
  }
  const path = request.headers()['x-page-path'] ?? '';
  const conversation =
    shownHere ?? site.truth.conversation({ project: path.match(/^\/g\/(g-p-[0-9a-f]{32})/)?.[1] ?? null });
  const user = site.truth.accept(conversation, text, pills, parent);
  if (conversation.title === 'New chat') conversation.title = text.slice(0, 30);
  if (site.faults.send === 'error_after_accept') {
    conversation.threadError = 'Something went wrong.';
    site.truth.touch(conversation);
    return json({ accepted: true, conversation: conversation.id, user: user.id });
  }
  void Promise.resolve(site.answer(site.reply(conversation), user, conversation));
  if (site.faults.send === 'accept_unanswered') return route.abort();
  return json({ accepted: true, conversation: conversation.id, user: user.id });
}

/** With a person's name and address, as the real one has them: nothing of ours may keep those. */
function answerSession({ signedIn }: ChatGpt, route: Route): Promise<void> {
  const json = (body: unknown) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
  if (signedIn === 'unreadable') return route.fulfill({ status: 503, body: 'no session today' });
  if (signedIn === null) return json({});
  const { user, workspace } = signedIn;
  return json({
    user: { id: user, name: 'Jane Doe', email: `${user}@example.com` },
    ...(workspace === null ? {} : { account: { id: workspace } }),
    accessToken: 'stand-in-token',
  });
}

function answerSnapshot(site: ChatGpt, route: Route, request: Request, id: string): Promise<void> {
  const { snapshot: how } = site.faults;
  const status = (code: number) => route.fulfill({ status: code, contentType: 'application/json', body: '{}' });
  if (request.headers().authorization !== 'Bearer stand-in-token' || how === 'unauthorised') return status(401);
  if (how === 'silent') return new Promise(() => undefined);
  if (how === 'rate_limited') return status(429);
  if (how === 'broken') return route.fulfill({ contentType: 'application/json', body: '{"messages":[{' });
  const conversation = site.truth.conversations.get(id);
  if (conversation === undefined || how === 'missing') return status(404);
  return route.fulfill({ contentType: 'application/json', body: JSON.stringify(snapshot(conversation, how)) });
}

/** What a person, or whoever acts as one, chose in the menu of a chat. */
function menuPressed(site: ChatGpt, conversation: Conversation, what: string): void {
  site.menu.push(what);
  if (what === 'archive' && site.faults.archive === 'accept') conversation.archived = true;
  site.truth.touch(conversation);
}

/** Stop ends the reply that runs; Retry asks again for the turn that failed. */
function act(site: ChatGpt, conversation: Conversation, what: string): void {
  if (what === '/stand-in/retry') {
    conversation.threadError = null;
    conversation.retried += 1;
    const last = conversation.turns.at(-1);
    // The person's turn is there without an answer: it is answered now, and is no second turn.
    if (last?.role === 'user') void Promise.resolve(site.answer(site.reply(conversation), last, conversation));
    site.truth.touch(conversation);
    return;
  }
  for (const turn of conversation.turns) if (turn.status === 'in_progress') turn.status = 'finished_successfully';
  site.truth.touch(conversation);
}

function shown(site: ChatGpt, path: string): Conversation | undefined {
  const id = path.match(/\/c\/([^/?#]+)/)?.[1];
  return id === undefined ? undefined : site.truth.conversations.get(id);
}

function view(site: ChatGpt, conversation: Conversation | undefined): View {
  const { truth, looks } = site;
  return {
    revision: truth.revision,
    projects: truth.projects,
    looks,
    conversation:
      conversation === undefined
        ? null
        : {
            id: conversation.id,
            title: conversation.title,
            project: conversation.project,
            turns: conversation.turns,
            cards: conversation.cards,
            threadError: conversation.threadError,
            retry: conversation.retry,
          },
  };
}

function sidebar(site: ChatGpt) {
  const items = site.truth.projects.map((project) => ({
    gizmo: { gizmo: { id: project.id, short_url: `${project.id}-${project.slug}`, display: { name: project.name } } },
    conversations: {
      items: [...site.truth.conversations.values()]
        .filter((conversation) => conversation.project === project.id)
        .map(({ id, title }) => ({ id, title })),
    },
  }));
  return { items, cursor: null };
}
