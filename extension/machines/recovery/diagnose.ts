/**
 * From what a page and its site's server say to what would help (reference/extension.md 4.9). The server's view decides;
 * what is not known helps nobody, except where the site itself says that the turn has failed. Pure tables.
 */
import type { ErrorKind, Found, PageEvidence, RecoveryAct, ServerEvidence } from '../../health.ts';
import type { Message, ServerView } from '../../reading.ts';
import {
  AHEAD_CHARS,
  ALIKE_CHARS,
  ASSISTANT_STALL_MS,
  ENDING_CHARS,
  ERROR_SHOWN_MS,
  SERVER_STALL_MS,
  SERVER_STALL_STREAMING_MS,
  TURN_FRESH_MS,
} from './limits.ts';

/** What may be wrong, by the page alone. `due`: its window has passed, the server is worth asking. */
export interface Suspicion {
  found: ErrorKind | 'no_answer';
  due: boolean;
}

/** `knownMs`: the age of the turn as the worker knows it; null: it knows of none. */
export function suspicionOf(evidence: PageEvidence, knownMs: number | null): Suspicion | null {
  const { error, pending, streaming, stillMs, turnMs, confirmed, tool, card } = evidence;
  const stalled = stillMs >= ASSISTANT_STALL_MS;
  if (error !== null) {
    const due = error.shownMs >= ERROR_SHOWN_MS && (error.kind !== 'interrupted' || stalled);
    return { found: error.kind, due };
  }
  // A tool that runs and a card that waits explain themselves.
  if (tool === true || card) return null;
  // A question that nobody has answered since yesterday is history; an answer that is being written is not.
  const age = turnMs ?? knownMs;
  const fresh = age !== null && age <= TURN_FRESH_MS;
  // An answer that only looks complete may be the part of it that arrived.
  const unsure = turnMs !== null && fresh && !confirmed;
  const expected = streaming === true || (pending && fresh);
  return stalled && (expected || unsure) ? { found: 'no_answer', due: true } : null;
}

/** Null: the server has told nothing that helps. `wait`: it will be known later. */
export type Help = { act: Exclude<RecoveryAct, 'tab'>; found: Found } | 'wait' | 'nothing' | 'unknown';

/** What would help, by the server's word. `retried`: the site's Retry was pressed for this turn. */
export function helpFor(evidence: PageEvidence, server: ServerEvidence | null, retried: boolean): Help {
  const { error, stillMs, streaming } = evidence;
  if (error !== null && error.kind !== 'interrupted') return helpForFailure(error, server, retried);
  if (server === null || server.view === 'unknown') return 'unknown';
  if (error !== null) return { act: 'reload', found: 'interrupted' };
  if (server.view === 'ahead') return { act: 'reload', found: 'server_ahead' };
  if (server.finished === 'finished') {
    // The page goes on writing what the server has finished, word for word: its state alone is behind, and may catch up.
    if (streaming !== true) return 'nothing';
    return stillMs >= SERVER_STALL_STREAMING_MS ? { act: 'reload', found: 'server_ahead' } : 'wait';
  }
  if (server.finished === 'unknown' && server.current !== 'user') return 'unknown';
  const window = streaming === false ? SERVER_STALL_MS : SERVER_STALL_STREAMING_MS;
  return stillMs >= window ? { act: 'reload', found: 'server_stalled' } : 'wait';
}

/** The site says that the turn has failed: its card, or its word that sending took too long. */
function helpForFailure(
  error: NonNullable<PageEvidence['error']>,
  server: ServerEvidence | null,
  retried: boolean,
): Help {
  if (retried) return { act: 'reload', found: 'retry_failed' };
  // An assistant at the end: the request was accepted, and Retry could do its work twice.
  if (server?.current === 'user' && server.view !== 'ahead' && error.retry) return { act: 'retry', found: error.kind };
  return { act: 'reload', found: server?.view === 'ahead' ? 'server_ahead' : error.kind };
}

/** What a page has mounted, for the comparison with its server. */
export interface Shown {
  mounted: readonly Message[];
  /** False: somebody has scrolled up, and the end of the conversation is not in the document. */
  atEnd: boolean;
  /** Ids of answers that were mounted here before. */
  known: ReadonlySet<string>;
}

/**
 * Whether somebody went on with this conversation elsewhere, on a phone or in another browser: the server's newest message of
 * a person does not stand here, under its id or by its words. What is sent from such a page begins another branch, and the
 * one from elsewhere is out of sight. Unsure is no.
 */
export function wentOnElsewhere(
  { mounted, atEnd }: Pick<Shown, 'mounted' | 'atEnd'>,
  { latestUser }: ServerView,
): boolean {
  const users = mounted.filter(({ role }) => role === 'user');
  if (!atEnd || latestUser?.id == null || !users.some(({ id }) => id !== null)) return false;
  if (users.some(({ id }) => id === latestUser.id)) return false;
  const last = users.at(-1);
  // One that was sent from here has its id late.
  return last !== undefined && last.id !== null && fold(last.text) !== fold(latestUser.text);
}

/** The server's view against the page's. What cannot be lined up with the page is unknown. */
export function compare(shown: Shown, server: ServerView): ServerEvidence {
  return { view: viewOf(shown, server), current: server.currentRole, finished: server.finished };
}

function viewOf({ mounted, atEnd, known }: Shown, server: ServerView): ServerEvidence['view'] {
  const { latestUser, latestAssistant } = server;
  if (!atEnd || latestUser?.id == null) return 'unknown';
  const lastUser = mounted.findLast(({ role }) => role === 'user');
  const isHere = mounted.some(({ id }) => id === latestUser.id) || isShownWithoutId(lastUser, latestUser);
  if (latestAssistant === null) return isHere ? 'same' : 'unknown';
  if (latestAssistant.id === null) return 'unknown';
  const here = mounted.find(({ id, role }) => role === 'assistant' && id === latestAssistant.id);
  if (here) return isFurther(here.text, latestAssistant.text);
  // An answer that stood here once and no longer does is one that the page has gone on from, or another version of it.
  if (known.has(latestAssistant.id)) return 'unknown';
  const begun = fold(latestAssistant.text).length >= (server.finished === 'finished' ? 1 : AHEAD_CHARS);
  return begun ? 'ahead' : isHere ? 'same' : 'unknown';
}

/** The server writes Markdown where the page shows text: longer means little while the page has the end of it. */
function isFurther(shown: string, server: string): ServerEvidence['view'] {
  const here = fold(shown);
  const there = fold(server);
  const ending = here.slice(-ENDING_CHARS);
  if (there.length < here.length + AHEAD_CHARS || ending.includes(there.slice(-AHEAD_CHARS))) return 'same';
  return there.startsWith(here.slice(0, ALIKE_CHARS)) ? 'ahead' : 'unknown';
}

function isShownWithoutId(shown: Message | undefined, other: Message): boolean {
  return shown !== undefined && shown.id === null && fold(shown.text) === fold(other.text);
}

/** Letters and digits, without the addresses of links and the marks of quoted sources. */
function fold(text: string): string {
  return text
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/\ue200[^\ue201]*\ue201/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}
