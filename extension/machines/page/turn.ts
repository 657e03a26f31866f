/**
 * When a turn begins and when it is over (reference/extension.md 4.5). Fed with a look at the page every moment; only
 * growth of the text counts as progress, a Stop control does not. The end is asked of the site's server. Pure.
 */
import type { Turn } from '../../messages.ts';
import type { Message, ServerView } from '../../site/index.ts';
import { PROBE_PAUSE_DOUBLINGS, PROBE_PAUSE_MS, PROBES_UNANSWERED, STILL_MS, SUBMIT_EXPLAINS_MS } from './limits.ts';
import { sameText } from './text.ts';

export interface Watch {
  conversation: string | null;
  /** Ids of user turns that were seen; what is among them is not new. Null until the first look at this conversation. */
  seen: readonly string[] | null;
  /** Who pressed Send last, when, and what the composer held then; null: it could not be read. */
  submit: { by: 'person' | 'extension'; at: number; text: string | null } | null;
  /** What the composer held when a person last clicked anywhere: some sites name their button in no way. */
  draft: { text: string; at: number } | null;
  /** The turn that goes on. */
  open: Open | null;
}

interface Open {
  /** Null: it was under way already when this page script came. */
  user: Turn | null;
  /** The answer as it was last seen. */
  text: string;
  /** The site's id of the newest part of the answer. */
  answerId: string | null;
  /** Since when it has not changed and nothing works; null while something does. */
  stillSince: number | null;
  askedAt: number | null;
  /** Questions to the server so far; each makes the next pause longer. */
  asked: number;
  /** Questions to the server that brought nothing. */
  unanswered: number;
}

export interface Glance {
  now: number;
  conversation: string | null;
  mounted: readonly Message[];
  /** Null: cannot be told. */
  busy: boolean | null;
}

export type TurnEffect =
  | { type: 'accepted'; user: Turn; submitted: 'person' | 'extension' }
  /** What may be a person's turn, and nothing shows that anybody wrote it: it is left out. */
  | { type: 'unread' }
  | { type: 'ask_server' }
  | { type: 'ended'; user: Turn | null; assistant: Turn | null; server: boolean };

export type TurnStep = { watch: Watch; effects: TurnEffect[] };

export const NO_WATCH: Watch = { conversation: null, seen: null, submit: null, draft: null, open: null };

export function submitted(watch: Watch, by: 'person' | 'extension', now: number, text: string | null = null): Watch {
  return { ...watch, submit: { by, at: now, text } };
}

export function drafted(watch: Watch, text: string, now: number): Watch {
  return { ...watch, draft: { text, at: now } };
}

export function glance(before: Watch, look: Glance): TurnStep {
  let watch = follow(before, look);
  const effects: TurnEffect[] = [];
  const users = look.mounted.filter((message) => message.role === 'user');
  if (watch.seen === null) {
    // The first look: everything that stands here was here. A turn under way is followed to its end.
    watch = { ...watch, seen: ids(users), open: look.busy === true ? opened(provedUser(users)) : null };
  } else {
    const fresh = freshUser(watch, watch.seen, users, look.now);
    if (fresh === 'unread') effects.push({ type: 'unread' });
    else if (fresh !== null) {
      effects.push({ type: 'accepted', user: turnOf(fresh), submitted: explained(watch, look.now) ?? 'person' });
      watch = { ...watch, submit: null, draft: null, open: opened(fresh) };
    }
    watch = { ...watch, seen: merged(watch.seen ?? [], ids(users)) };
  }
  return watch.open === null ? { watch, effects } : progress(watch, watch.open, look, effects);
}

/** The server was asked. Null: it gave no answer that can be read; `hasServer` false: there is none that could. */
export function answered(watch: Watch, view: ServerView | null, now: number, hasServer = true): TurnStep {
  const { open } = watch;
  if (open === null) return { watch, effects: [] };
  if (view === null) {
    const unanswered = open.unanswered + 1;
    if (hasServer && unanswered < PROBES_UNANSWERED)
      return { watch: { ...watch, open: { ...open, unanswered } }, effects: [] };
    const assistant = open.text === '' ? null : { id: open.answerId, text: open.text };
    return { watch: { ...watch, open: null }, effects: [{ type: 'ended', user: open.user, assistant, server: false }] };
  }
  const asked = { ...open, unanswered: 0, askedAt: now };
  const isThis = open.user === null || (view.latestUser !== null && isSame(open.user, view.latestUser));
  if (view.finished !== 'finished' || !isThis || view.latestAssistant?.id == null) {
    return { watch: { ...watch, open: asked }, effects: [] };
  }
  const user = open.user ?? (view.latestUser === null ? null : turnOf(view.latestUser));
  const assistant = turnOf(view.latestAssistant);
  return { watch: { ...watch, open: null }, effects: [{ type: 'ended', user, assistant, server: true }] };
}

/** Another conversation starts anew, except that a new chat gets its address by the turn that was just sent. */
function follow(watch: Watch, { conversation, now }: Glance): Watch {
  if (watch.conversation === conversation) return watch;
  if (watch.conversation === null && conversation !== null && explained(watch, now) !== null) {
    return { ...watch, conversation, seen: watch.seen ?? [] };
  }
  return { ...NO_WATCH, conversation };
}

function explained(watch: Watch, now: number): 'person' | 'extension' | null {
  return watch.submit !== null && now - watch.submit.at <= SUBMIT_EXPLAINS_MS ? watch.submit.by : null;
}

/** The newest user turn, if it is new: explained by a press of Send, or standing behind one that was known. */
function freshUser(
  watch: Watch,
  seen: readonly string[],
  users: readonly Message[],
  now: number,
): Message | 'unread' | null {
  const last = users.at(-1);
  if (last?.id == null || seen.includes(last.id)) return null;
  const behindKnown = users.some(({ id }) => id !== null && seen.includes(id));
  if (explained(watch, now) === null && !behindKnown) return null;
  if (!last.byLack) return last;
  const fresh = users.filter(({ id }) => id !== null && !seen.includes(id));
  return fresh.findLast(({ text }) => wasWritten(watch, text, now)) ?? 'unread';
}

/** Only these words, and only a moment ago: a message that lacks an answer's marks may be the site's own. */
function wasWritten({ submit, draft }: Watch, text: string, now: number): boolean {
  return [submit, draft].some(
    (one) => one?.text != null && now - one.at <= SUBMIT_EXPLAINS_MS && sameText(one.text, text),
  );
}

/** The last user turn, where it is one by what it is and not by what it lacks. */
function provedUser(users: readonly Message[]): Message | null {
  const last = users.at(-1);
  return last === undefined || last.byLack ? null : last;
}

/** The last turn that is complete, out of what is mounted. `proved`: the id of the last one that was seen to be written. */
export function latestTurn(
  mounted: readonly Message[],
  proved: string | null,
): { user: Turn | null; assistant: Turn | null } {
  const at = mounted.findLastIndex(({ role }) => role === 'user');
  const user = mounted[at];
  const assistant = mounted.slice(at + 1).findLast(({ role }) => role === 'assistant');
  if (!user || !assistant) return { user: null, assistant: null };
  const known = !user.byLack || (user.id !== null && user.id === proved);
  return { user: known ? turnOf(user) : null, assistant: turnOf(assistant) };
}

function progress(watch: Watch, open: Open, look: Glance, effects: TurnEffect[]): TurnStep {
  const answer = answerTo(open, look.mounted);
  const text = answer.map((message) => message.text).join('\n\n');
  if (text !== open.text) {
    return {
      watch: {
        ...watch,
        open: { ...open, text, answerId: answer.at(-1)?.id ?? null, stillSince: look.busy === false ? look.now : null },
      },
      effects,
    };
  }
  const stillSince = look.busy === false ? (open.stillSince ?? look.now) : null;
  const next = { ...open, stillSince };
  const pause = PROBE_PAUSE_MS * 2 ** Math.min(Math.max(open.asked - 1, 0), PROBE_PAUSE_DOUBLINGS);
  const mayAsk = open.askedAt === null || look.now - open.askedAt >= pause;
  if (stillSince === null || look.now - stillSince < STILL_MS || !mayAsk)
    return { watch: { ...watch, open: next }, effects };
  const asking = { ...next, askedAt: look.now, asked: open.asked + 1 };
  return { watch: { ...watch, open: asking }, effects: [...effects, { type: 'ask_server' }] };
}

/** What stands behind the turn's user message; while that is not mounted, behind the last one that is. */
function answerTo(open: Open, mounted: readonly Message[]): Message[] {
  const known = open.user?.id == null ? -1 : mounted.findLastIndex(({ id }) => id === open.user?.id);
  const from = known >= 0 ? known : mounted.findLastIndex(({ role }) => role === 'user');
  return mounted.slice(from + 1).filter(({ role }) => role === 'assistant');
}

function opened(user: Message | null): Open {
  return {
    user: user === null ? null : turnOf(user),
    text: '',
    answerId: null,
    stillSince: null,
    askedAt: null,
    asked: 0,
    unanswered: 0,
  };
}

function isSame(user: Turn, other: Message): boolean {
  return user.id !== null && other.id !== null ? user.id === other.id : sameText(user.text, other.text);
}

const ids = (users: readonly Message[]): string[] => users.flatMap(({ id }) => id ?? []);
const turnOf = ({ id, text }: Message): Turn => ({ id, text });

function merged(seen: readonly string[], more: readonly string[]): readonly string[] {
  const fresh = more.filter((id) => !seen.includes(id));
  return fresh.length === 0 ? seen : [...seen, ...fresh];
}
