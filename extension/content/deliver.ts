/**
 * The one way in which anything is typed and sent (reference/extension.md 4.4). Never over a draft; submitted once, after
 * the worker wrote the claim down; sent means that a new user turn with our text exists; what was submitted and not seen
 * is uncertain and is not repeated.
 */
import {
  type Arrival,
  arrivalAtServer,
  arrivalOf,
  baselineOf,
  CLAIM_FRESH_MS,
  CONFIRM_LOOK_MS,
  CONFIRM_MS,
  IDLE_LOOK_MS,
  isPartOf,
  SEND_READY_MS,
  sameText,
} from '../machines/page/index.ts';
import type { AccountMark, Answer, Baseline, Delivery, DeliveryOutcome, Reason } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';

export interface DeliverParts {
  adapter: SiteAdapter;
  clock: Clock;
  ended: AbortSignal;
  /** The page as it is now; null: none of ours. */
  page(): PageIdentity | null;
  claim(baseline: Baseline): Promise<Answer<null>>;
  /** Why what is meant for that account may not be sent here now; null: it may. Absent: nothing here is meant for one. */
  accountObjection?(meant: AccountMark | undefined): Promise<Reason | null>;
  /** Whether the chat has gone on elsewhere, and this page shows an older end of it. Absent: nobody can know. */
  wentOnElsewhere?(conversation: string): Promise<boolean>;
  /** Told right before Send is pressed: the user turn that follows is ours. */
  pressing(): void;
}

const blocked = (reason: Reason): DeliveryOutcome => ({ state: 'blocked', reason });

export async function deliver(
  parts: DeliverParts,
  conversation: string | null,
  delivery: Pick<Delivery, 'text' | 'waitMs' | 'connector' | 'account'>,
): Promise<DeliveryOutcome> {
  const { adapter, ended } = parts;
  const { text } = delivery;
  if (text.trim() === '') return blocked('empty_text');
  const objection = await idle(parts, conversation, text, delivery.waitMs);
  if (objection !== null) return blocked(objection);
  const another = await otherAccount(parts, delivery.account);
  if (another !== null) return blocked(another);
  if (conversation !== null && (await parts.wentOnElsewhere?.(conversation))) return blocked('page_behind');
  const mode = await adapter.chatMode?.(ended);
  if (mode?.found === null) return blocked('mode_unclear');
  if (delivery.connector !== null) {
    const selected = await adapter.selectConnector(delivery.connector, ended);
    if (selected.found === null) return blocked('connector_unavailable');
  }
  const standing = adapter.draft();
  if (standing.found === null) return blocked('composer_missing');
  // While the site was asked, a person may have begun to write, also what our own text begins with.
  if (adapter.attached() || (standing.found !== '' && !sameText(standing.found, text))) return blocked('user_typing');
  const messages = adapter.messages();
  if (messages.found === null) return blocked('page_unreadable');
  const baseline = baselineOf(messages.found);
  const typed: Typed = { conversation, baseline, text };
  // Our own text may stand there from an attempt that was cut off before it was sent.
  const held = sameText(standing.found, text) ? standing : await adapter.insert(text, ended);
  if (held.found === null) return blocked('composer_missing');
  if (!sameText(held.found, text)) {
    // Only what can be nobody's but ours is taken away again: a person may have typed before it, into it or instead of it.
    if (!isPartOf(held.found, text)) return blocked('user_typing');
    if (held.found === '') return withdraw(parts, typed, 'insert_failed');
    return blocked((await adapter.clear(held.found)) ? 'insert_failed' : 'user_typing');
  }
  if (!(await sendReady(parts))) return withdraw(parts, typed, 'send_missing');
  // While it was typed, somebody may have signed out, or another one in.
  const switched = await otherAccount(parts, delivery.account);
  if (switched !== null) return withdraw(parts, typed, switched);
  if (adapter.draft().found === '') return withdraw(parts, typed, 'insert_failed');
  const askedAt = parts.clock.now();
  const claimed = await parts.claim(baseline);
  if (!claimed.ok) return withdraw(parts, typed, claimed.reason);
  // A tab that was frozen meanwhile must not send what the worker has given up since.
  if (parts.clock.now() - askedAt > CLAIM_FRESH_MS) return withdraw(parts, typed, 'worker_unavailable');
  // While the worker wrote, a person may have typed, left, or sent.
  const changed = objectionNow(parts, conversation, text) ?? (adapter.draft().found === '' ? 'insert_failed' : null);
  const send = adapter.send();
  if (changed !== null || send.found === null) return withdraw(parts, typed, changed ?? 'send_missing');
  parts.pressing();
  adapter.press(send.found);
  return confirm(parts, conversation, baseline, text);
}

async function otherAccount(
  { accountObjection }: DeliverParts,
  meant: AccountMark | undefined,
): Promise<Reason | null> {
  if (meant === undefined) return null;
  return accountObjection === undefined ? 'account_unknown' : accountObjection(meant);
}

/** What was put into the composer, for which chat, and what stood there before. */
interface Typed {
  conversation: string | null;
  baseline: Baseline;
  text: string;
}

/**
 * Nothing was pressed by us: our text goes, and only it. Where it has gone without us a person's own Enter may have sent it,
 * and then it is not sent once more.
 */
async function withdraw(parts: DeliverParts, typed: Typed, reason: Reason): Promise<DeliveryOutcome> {
  const { conversation, baseline, text } = typed;
  if (parts.adapter.draft().found === '') {
    const seen = await confirm(parts, conversation, baseline, text);
    return seen.state === 'sent' ? seen : blocked(reason);
  }
  await parts.adapter.clear(text);
  return blocked(reason);
}

/** Waits for an idle moment. A draft is a person's, and is not waited out. */
async function idle(
  parts: DeliverParts,
  conversation: string | null,
  text: string,
  waitMs: number,
): Promise<Reason | null> {
  const until = parts.clock.now() + waitMs;
  for (;;) {
    const objection = objectionNow(parts, conversation, text);
    const passing = objection === 'turn_in_progress' || objection === 'card_waiting' || objection === 'page_unreadable';
    if (!passing || parts.clock.now() >= until || parts.ended.aborted) return objection;
    await parts.clock.pause(IDLE_LOOK_MS);
  }
}

/** Why nothing may be typed or sent at this moment. */
function objectionNow(
  { adapter, page, ended }: DeliverParts,
  conversation: string | null,
  text: string,
): Reason | null {
  if (ended.aborted) return 'extension_reloaded';
  if (page()?.conversation !== conversation) return 'conversation_changed';
  if (adapter.cardWaiting()) return 'card_waiting';
  const streaming = adapter.streaming();
  if (streaming.found === null) return 'page_unreadable';
  if (streaming.found) return 'turn_in_progress';
  const draft = adapter.draft();
  if (draft.found === null) return 'composer_missing';
  if (adapter.attached()) return 'user_typing';
  return draft.found !== '' && !sameText(draft.found, text) ? 'user_typing' : null;
}

async function sendReady({ adapter, clock, ended }: DeliverParts): Promise<boolean> {
  const until = clock.now() + SEND_READY_MS;
  while (adapter.send().found === null) {
    if (clock.now() >= until || ended.aborted) return false;
    await clock.pause(IDLE_LOOK_MS);
  }
  return true;
}

/** Looks for the new turn; at last the site's server is asked. An empty composer proves nothing. */
async function confirm(
  parts: DeliverParts,
  conversation: string | null,
  baseline: Baseline,
  text: string,
): Promise<DeliveryOutcome> {
  const { adapter, clock, ended } = parts;
  const until = clock.now() + CONFIRM_MS;
  let seen: Arrival = { state: 'nothing' };
  // A tab that sleeps wakes long after the time: what it then shows is looked at all the same.
  for (let late = false; !late && !ended.aborted; ) {
    late = clock.now() >= until;
    // A page that was no chat becomes one by its first message.
    if (conversation !== null && parts.page()?.conversation !== conversation) break;
    const messages = adapter.messages();
    if (messages.found !== null) seen = arrivalOf(baseline, messages.found, text);
    if (seen.state === 'arrived') return sent(parts, seen.messageId);
    if (!late) await clock.pause(CONFIRM_LOOK_MS);
  }
  if (ended.aborted) return { state: 'uncertain', reason: 'page_gone' };
  const server = conversation === null ? null : await adapter.snapshot(conversation, ended);
  if (server === null || server.found === null) return { state: 'uncertain', reason: uncertainty(seen) };
  const arrival = arrivalAtServer(baseline, server.found, text);
  return arrival.state === 'arrived'
    ? sent(parts, arrival.messageId)
    : { state: 'uncertain', reason: uncertainty(arrival.state === 'changed' ? arrival : seen) };
}

function sent({ page }: DeliverParts, messageId: string | null): DeliveryOutcome {
  return { state: 'sent', messageId, url: page()?.url ?? '' };
}

function uncertainty(seen: Arrival): 'no_new_turn' | 'text_changed' {
  return seen.state === 'changed' ? 'text_changed' : 'no_new_turn';
}

/** Did a message that was submitted earlier arrive? Looks only. */
export async function probe(
  parts: Pick<DeliverParts, 'adapter' | 'ended'>,
  conversation: string,
  given: { text: string; baseline: Baseline },
): Promise<{ arrived: 'yes' | 'unknown'; messageId: string | null }> {
  const messages = parts.adapter.messages();
  const shown = messages.found === null ? null : arrivalOf(given.baseline, messages.found, given.text);
  if (shown?.state === 'arrived') return { arrived: 'yes', messageId: shown.messageId };
  const server = await parts.adapter.snapshot(conversation, parts.ended);
  const known = server.found === null ? null : arrivalAtServer(given.baseline, server.found, given.text);
  return known?.state === 'arrived'
    ? { arrived: 'yes', messageId: known.messageId }
    : { arrived: 'unknown', messageId: null };
}
