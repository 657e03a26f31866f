/** Messages of page scripts, checked and turned into events; and the answers to them. */

import { isObject } from '../../contract/json.ts';
import type { Language } from '../../look/words/index.ts';
import type { Verdict } from '../machines/auto/index.ts';
import type { Event, From, Reply, State } from '../machines/worker/index.ts';
import { hudOf } from '../machines/worker/index.ts';
import type { Answer, FromPage, PageAsks, Reason, Standing, Turn } from '../messages.ts';
import { type PageIdentity, SITES } from '../page.ts';
import { isOn, POLICIES } from '../policy.ts';
import type { BridgeDoor } from './bridge.ts';
import { answerBridge, isBridgeAsk } from './bridge-pages.ts';
import { judgedTurn } from './judging.ts';
import { CONNECTOR_CHARS_MAX } from './limits.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface PageParts {
  version: string;
  take(event: Event): Promise<Reply>;
  state(): Promise<State>;
  language(): Language;
  runtime: Pick<RuntimeDoor, 'fresh'>;
  bridge: Pick<BridgeDoor, 'catalogue'>;
  id(): string;
  /** What the judge says of the page's last turn; null: nothing. */
  decide(from: From): Promise<Verdict | null>;
  /** Why a message must not be submitted after all; null: it may. */
  leave(delivery: string): Promise<Reason | null>;
  openOptions(): Promise<void>;
  /** Whether the browser loads something in that tab; unknown is yes. */
  isLoading(tab: number): Promise<boolean>;
  nowMs(): number;
  /** Resolves when it is known, or not to be known soon, whether this build is the registered one. */
  standing(): Promise<void>;
  /** A turn was accepted or has ended: journal it, and say which conversation it came from. */
  turn(page: PageIdentity, turns: { user: Turn | null; assistant: Turn | null; ended: boolean }): void;
  /** A page of a conversation has come: find its session, fill in what was missed. */
  arrived(page: PageIdentity): void;
}

/** A message that has the form of a page's; of any version. */
export function isFromPage(message: unknown): message is FromPage {
  if (!isObject(message) || message['herdr'] !== 1 || message['to'] !== 'worker') return false;
  const { version, document, page, kind } = message;
  if (typeof version !== 'string' || typeof document !== 'string' || typeof kind !== 'string') return false;
  return isObject(page) && typeof page['url'] === 'string' && SITES.some((site) => site === page['site']);
}

/** Answers one message. `url` is the sender's address as the browser gives it: a page speaks only for itself. */
export async function answerPage(
  parts: PageParts,
  message: FromPage,
  sender: { tab: number; url: string; shown: string },
): Promise<Answer<unknown>> {
  if (message.version !== parts.version) {
    await parts.take({ type: 'ignored', why: 'other_version' });
    return refuse('version_mismatch');
  }
  if (!isOfItself(message.page, sender.url)) return refuse('conversation_changed');
  const { version, document, page } = message;
  const from: From = { tab: sender.tab, document, version, page };
  const given = message as { [K in keyof PageAsks]: FromPage<K> }[keyof PageAsks];
  if (!isOn(page.site, (await parts.state()).config.sites)) {
    return given.kind === 'here' ? { ok: true, value: { owner: 'standby', by: null } } : refuse('site_off');
  }
  if (given.kind === 'here') return here(parts, from, given.body);
  // A build that is not the registered one answers nothing else.
  if ((await parts.state()).link === 'standby') return refuse('standby');
  if (isBridgeAsk(given)) {
    const answer = await answerBridge(parts, from, given, sender.shown);
    return given.kind === 'bridge.control' && answer.ok ? hud(parts, from) : answer;
  }
  switch (given.kind) {
    case 'state':
      return plain(await parts.take({ type: 'page', from, state: given.body.state }));
    case 'hud':
      return hud(parts, from);
    case 'action':
      return action(parts, from, given.body);
    case 'queue.add': {
      const { entry: id, text } = given.body;
      if (!ENTRY.test(id) || typeof text !== 'string') return refuse('unknown_message');
      const entry = { id, text, createdAt: parts.nowMs() };
      return queue(parts, from, await parts.take({ type: 'queue_add', from, entry }));
    }
    case 'queue.flush':
      return queue(parts, from, await parts.take({ type: 'queue_flush', from }));
    case 'queue.clear':
      return queue(parts, from, await parts.take({ type: 'queue_clear', from }));
    case 'turn.accepted': {
      const { user, submitted, connector } = given.body;
      const reply = await parts.take({ type: 'turn_accepted', from, id: user.id, text: user.text, submitted });
      await learnConnector(parts, page.conversation, connector);
      parts.turn(page, { user, assistant: null, ended: false });
      return plain(reply);
    }
    case 'turn.ended': {
      const { user, assistant, server } = given.body;
      const turn = judgedTurn(user, assistant);
      const said = turn === null ? {} : { turn, confirmed: server === true };
      const reply = await parts.take({ type: 'turn_ended', from, ...said });
      parts.turn(page, { user, assistant, ended: true });
      return plain(reply);
    }
    case 'health':
      if (!isObject(given.body.evidence)) return refuse('unknown_message');
      return plain(await parts.take({ type: 'health', from, evidence: given.body.evidence }));
    case 'recover.declined':
      // A page that is on its way out speaks until it is gone: what comes of that is not known yet.
      if (given.body.reason === 'leave_declined' && (await parts.isLoading(from.tab)))
        return refuse('worker_unavailable');
      return plain(await parts.take({ type: 'declined', from, ...given.body }));
    case 'site.refused':
      return plain(await parts.take({ type: 'site_refused', from }));
    case 'history': {
      const { turns, turnsNamed } = given.body;
      if (!Array.isArray(turns) || turns.some((turn: unknown) => !isObject(turn))) return refuse('unknown_message');
      return plain(await parts.take({ type: 'history', from, turns, turnsNamed }));
    }
    case 'options.open':
      await parts.openOptions();
      return { ok: true, value: null };
    case 'delivery.claim': {
      const refused = await parts.leave(given.body.id);
      return refused === null ? plain(await parts.take({ type: 'claim', from, ...given.body })) : refuse(refused);
    }
    case 'delivery.done':
      return plain(await parts.take({ type: 'done', from, ...given.body }));
    default:
      return refuse('unknown_message');
  }
}

async function here(parts: PageParts, from: From, { state }: PageAsks['here']['ask']): Promise<Answer<Standing>> {
  await parts.standing();
  if ((await parts.state()).link === 'standby') return { ok: true, value: { owner: 'standby', by: null } };
  const reply = await parts.take({ type: 'here', from, state });
  if (!reply.ok) return reply;
  parts.arrived(from.page);
  return { ok: true, value: { owner: 'active', hud: await shown(parts, from) } };
}

async function hud(parts: PageParts, from: From): Promise<Answer<unknown>> {
  return { ok: true, value: await shown(parts, from) };
}

async function action(parts: PageParts, from: From, given: PageAsks['action']['ask']): Promise<Answer<unknown>> {
  // Only what shows the state needs a fresh one; a switch must not wait for a runtime that is away.
  const reads = given.name === 'check' || given.name === 'send_settled' || given.name === 'handoff';
  const fresh = reads ? await parts.runtime.fresh() : null;
  const asked = given.name === 'decide' && (await shown(parts, from)).actions.decide === null;
  const verdict = asked ? { verdict: await parts.decide(from) } : {};
  const reply = await parts.take({ type: 'action', from, action: given, id: parts.id(), fresh, ...verdict });
  if (!reply.ok) return reply;
  return { ok: true, value: { hud: await shown(parts, from), seen: reply.seen, notSent: reply.notSent } };
}

async function queue(parts: PageParts, from: From, reply: Reply): Promise<Answer<unknown>> {
  return reply.ok ? { ok: true, value: (await shown(parts, from)).queue } : reply;
}

async function shown(parts: PageParts, { page, tab }: From) {
  const state = await parts.state();
  return hudOf(state, page, tab, state.config.language ?? parts.language());
}

const plain = (reply: Reply): Answer<null> => (reply.ok ? { ok: true, value: null } : reply);
const refuse = (reason: Reason): Answer<never> => ({ ok: false, reason });

const ENTRY = /^qi:[0-9a-f-]{36}$/;

/** The chat and the Project that a page speaks for are of its own site. */
function isOfItself({ site, url, conversation, project }: PageIdentity, sender: string): boolean {
  const keys = [url, conversation, typeof project === 'string' ? null : project.key];
  const { origin } = POLICIES[site];
  return originOf(sender) === origin && keys.every((key) => key === null || originOf(key) === origin);
}

function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null;
}

/** What a turn of this chat named is what messages of ours name from then on. */
async function learnConnector(parts: PageParts, conversation: string | null, keyword: unknown): Promise<void> {
  if (conversation === null || typeof keyword !== 'string') return;
  if (keyword === '' || keyword.length > CONNECTOR_CHARS_MAX) return;
  await parts.take({ type: 'connector', conversation, keyword });
}
