/**
 * A local stand-in of a plain chat site, under the site's real address: a real rich editor, Send and Stop that take each
 * other's place, answers that grow, addresses that change without a load. The server side lives in the test: it survives
 * reloads, and can swallow, refuse, fall silent or be ahead of what a page shows; every press of Send is counted.
 */
import type { BrowserContext, Request, Route } from 'playwright-core';
import { pageScript } from './bundle.ts';
import { type Conversation, Reply, Truth, type Turn } from './truth.ts';
import type { PlainLooks, PlainSent, PlainView } from './wire.ts';

export type { Conversation, Turn } from './truth.ts';

export interface PlainFaults {
  /**
   * `accept`: as it should. `swallow`: the press is consumed and nothing happens. `accept_unanswered`: the server has the
   * turn, and the page hears of it only by looking again. `refuse`: the words come back into the composer.
   */
  send: 'accept' | 'swallow' | 'accept_unanswered' | 'refuse';
  /** Whether pages hear of changes at all. */
  view: 'live' | 'frozen';
}

export interface PlainSite {
  readonly origin: string;
  readonly truth: Truth;
  readonly faults: PlainFaults;
  readonly looks: PlainLooks;
  /** Who is signed in; null: nobody. */
  signedIn: { id: string; email: string } | null;
  /** What was sent, oldest first, whether or not anything came of it. */
  readonly sent: string[];
  /** Called for each accepted user turn; makes the answer. By default a short one that ends at once. */
  answer: (reply: Reply, user: Turn, conversation: Conversation) => void | Promise<void>;
  reply(conversation: Conversation): Reply;
  /** The address of a chat. */
  address(conversation: Conversation): string;
}

/** What a site's own folder says of it. */
export interface PlainSkin {
  origin: string;
  /** The page's main file. */
  entry: URL;
  path(conversation: Pick<Conversation, 'id' | 'project'>): string;
  /** Where its server says who is signed in, and how; absent: only its page does, or nothing. */
  account?: { path: string; said(who: PlainSite['signedIn']): unknown };
  idFrom(url: URL): string | null;
}

const DOCUMENT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Chat</title><style>
body{margin:0;font:16px/1.5 system-ui}.ProseMirror{outline:none;white-space:pre-wrap;min-height:24px}.ProseMirror p{margin:0}
.whitespace-pre-wrap{white-space:pre-wrap}.placeholder::before{content:attr(data-placeholder);color:#999;position:absolute}
user-query,model-response,rich-textarea,message-content,input-area-v2,uploader-file-preview{display:block}
</style></head><body><script type="module" src="/stand-in/page.js"></script></body></html>`;

/** Answers for the real address in this browser context, for as long as the context lives. */
export async function openPlainSite(context: BrowserContext, skin: PlainSkin): Promise<PlainSite> {
  const truth = new Truth();
  const site: PlainSite = {
    origin: skin.origin,
    truth,
    faults: { send: 'accept', view: 'live' },
    looks: { names: 'usual', send: 'usual', ids: 'usual', suggestion: null, attachment: false, dialog: null },
    signedIn: { id: '0f0e0d0c-1111-4222-8333-444455556666', email: 'jane@example.com' },
    sent: [],
    answer: (reply, user) => reply.write(`I read this: ${user.text.slice(0, 80)}`).finish(),
    reply: (conversation) => new Reply(truth, conversation),
    address: (conversation) => skin.origin + skin.path(conversation),
  };
  await context.route(`${skin.origin}/**`, (route, request) => serve(site, skin, route, request));
  return site;
}

async function serve(site: PlainSite, skin: PlainSkin, route: Route, request: Request): Promise<void> {
  const url = new URL(request.url());
  const json = (body: unknown) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
  const shown = site.truth.conversations.get(skin.idFrom(new URL(request.headers()['x-page'] ?? skin.origin)) ?? '');
  switch (url.pathname) {
    case '/stand-in/page.js':
      return route.fulfill({ contentType: 'text/javascript', body: await pageScript(skin.entry) });
    case '/stand-in/view':
      return json(view(site, shown));
    case '/stand-in/next':
      await site.truth.after(Number(url.searchParams.get('revision')), 2_000);
      // The page may have gone while it waited.
      return json(site.faults.view === 'frozen' ? null : view(site, shown)).catch(() => undefined);
    case '/stand-in/send':
      return json(take(site, (request.postDataJSON() as { text: string }).text, shown));
    case '/stand-in/stop':
      for (const turn of shown?.turns ?? []) if (turn.status === 'in_progress') turn.status = 'finished_successfully';
      site.truth.changed();
      return json({});
  }
  if (url.pathname === skin.account?.path) return json(skin.account.said(site.signedIn));
  return request.resourceType() === 'document'
    ? route.fulfill({ contentType: 'text/html', body: DOCUMENT })
    : route.fulfill({ status: 404, body: '' });
}

function take(site: PlainSite, text: string, shown: Conversation | undefined): PlainSent | null {
  site.sent.push(text);
  if (site.faults.send === 'swallow') return null;
  if (site.faults.send === 'refuse') return { accepted: false };
  const conversation = shown ?? site.truth.conversation({ title: text.slice(0, 30) });
  const user = site.truth.accept(conversation, text, []);
  void Promise.resolve(site.answer(site.reply(conversation), user, conversation));
  return site.faults.send === 'accept_unanswered' ? null : { accepted: true, conversation: conversation.id };
}

function view({ truth, looks, signedIn }: PlainSite, shown: Conversation | undefined): PlainView {
  const conversation = shown && { id: shown.id, title: shown.title, project: shown.project, turns: shown.turns };
  return { revision: truth.revision, looks, conversation: conversation ?? null, signedIn: signedIn?.email ?? null };
}
