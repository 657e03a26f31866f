/**
 * The chat that is named by its current user message. Only digests are compared. An older message of a chat names nothing;
 * of several chats none is chosen, and a caller that is proved to be a chat names no other.
 */
import { eq, gt } from 'drizzle-orm/sql';
import { userTextForm } from '../../../contract/browser/user-text.ts';
import { readConversationUrl } from '../../continuity/index.ts';
import type { State } from '../../state/index.ts';
import type { Callers } from '../callers.ts';
import { TURN_TTL_MS } from '../limits.ts';
import { turnTextDigest } from '../naming.ts';
import { newest } from '../proof.ts';
import { browserResources, browserSourceTurns } from '../schema.ts';
import { sha256 } from './digest.ts';
import type { BrowserContext } from './method.ts';
import { ambiguous, outOfScope, wordsNotFound, wrongParams } from './refusals.ts';
import type { Row } from './row.ts';
import type { DispatchStore } from './store.ts';

/** The turn that a request stands on: what is asked for holds only while it is the chat's newest. */
export interface SourceTurn {
  turnSha256: string;
  textSha256: string;
}

interface Told extends SourceTurn {
  sessionRef: string;
  /** Equal for one chat in two browsers. */
  conversation: string;
  startedAt: number;
  observedAt: number;
  generation: number;
}

export interface CurrentMessages {
  /** Throws when no chat, or more than one, is meant. */
  find(words: string, context: BrowserContext): Told;
  /** Whether a dispatch was asked for by these words. */
  isOf(row: Row, words: string): boolean;
}

export interface CurrentMessageParts {
  state: State;
  store: Pick<DispatchStore, 'archivedAt'>;
  callers: Pick<Callers, 'prove'>;
}

export function openCurrentMessages({ state, store, callers }: CurrentMessageParts): CurrentMessages {
  function turns(nowMs: number): Told[] {
    const rows = state.orm
      .select({ turn: browserSourceTurns, url: browserResources.canonicalUrl })
      .from(browserSourceTurns)
      .innerJoin(browserResources, eq(browserResources.resourceRef, browserSourceTurns.sessionRef))
      .where(gt(browserSourceTurns.observedAt, nowMs - TURN_TTL_MS))
      .all();
    return rows.map(({ turn, url }) => ({
      ...turn,
      textSha256: turn.textSha256 ?? '',
      generation: turn.observationGeneration,
      conversation: conversationAt(url) ?? turn.sessionRef,
    }));
  }

  /** Newest turns with these words, of chats that are not archived already. */
  function matching(words: string, nowMs: number): Told[] {
    const all = turns(nowMs);
    const digest = wordsDigest(words);
    return all.filter(
      (one) =>
        one.textSha256 === turnTextDigest(one.turnSha256, digest) &&
        one.startedAt > (store.archivedAt(one.sessionRef) ?? -1) &&
        // Another browser may have seen the same chat go on.
        !all.some(
          (other) =>
            other.conversation === one.conversation &&
            other.turnSha256 !== one.turnSha256 &&
            other.startedAt >= one.startedAt,
        ),
    );
  }

  return {
    find(words, context) {
      if (userTextForm(words) === '') throw wrongParams('current_user_message is empty.');
      const now = context.nowMs();
      const found = matching(words, now);
      const own = ownChat(context, now);
      const meant = own === null ? found : found.filter(({ conversation }) => conversation === own);
      if (own !== null && found.length > 0 && meant.length === 0)
        throw outOfScope('This call came from another chat than the one with that message.');
      const [first] = meant;
      if (first === undefined) throw wordsNotFound();
      if (meant.some(({ conversation }) => conversation !== first.conversation))
        throw ambiguous('browser_resource_ambiguous', meant.map(({ sessionRef }) => sessionRef).sort());
      const ref = newest(meant);
      const last = meant.find(({ sessionRef }) => sessionRef === ref);
      if (last === undefined)
        throw ambiguous('browser_canonical_url_ambiguous', meant.map(({ sessionRef }) => sessionRef).sort());
      return last;
    },
    isOf: ({ sourceTurnSha256, sourceTextSha256 }, words) =>
      sourceTurnSha256 !== null && sourceTextSha256 === turnTextDigest(sourceTurnSha256, wordsDigest(words)),
  };

  /** The chat that a connector's call is proved to come from; who is at the workstation calls from none. */
  function ownChat({ principal, callerSession }: BrowserContext, now: number): string | null {
    if (principal.kind !== 'connector') return null;
    const ref = callers.prove({ principal, callerSession }, { from: now, to: now }, now);
    if (ref === null) return null;
    const row = state.orm.select().from(browserResources).where(eq(browserResources.resourceRef, ref)).get();
    return conversationAt(row?.canonicalUrl ?? null) ?? ref;
  }
}

const wordsDigest = (words: string): string => sha256(userTextForm(words));

/** The same chat has an address within its Project and one without. */
function conversationAt(url: string | null): string | null {
  const reading = readConversationUrl(url ?? '');
  return reading.ok ? `${reading.address.provider} ${reading.address.conversationId}` : null;
}
