/**
 * Continuity: a line of work outlives any conversation, and is never continued from a guess.
 *
 * The browser's finalized turns are journaled by {@link appendJournalTurn}; a conversation finds its chain by exact
 * identity alone (`identity.ts`); words and time only ever give candidates to confirm (`search.ts`); a handoff is one
 * message made from ids (`handoff.ts`). What is given back is marked as history. Asking several workstations at once is
 * the edge's part: every answer here names its own device.
 */
import { randomBytes } from 'node:crypto';
import { type Journal, type LocalMethods, type MethodContext, openJournal, writtenAnswer } from '../journal/index.ts';
import { memoryMethods, openMemory } from '../memory/index.ts';
import type { State } from '../state/index.ts';
import type { JournalReceipt } from './append.ts';
import { continuityMethods } from './methods.ts';
import { acceptTurn } from './wire.ts';

export type {
  Journal,
  LocalMethod,
  LocalMethods,
  MethodContext,
} from '../journal/index.ts';
export { appendJournalTurn, type JournalReceipt, type JournalTurn } from './append.ts';
export { chooseOwner, type OwnerAnswer, type OwnerQuestion } from './owner.ts';
export { isTrigger } from './triggers.ts';
export { conversationUrl, projectIdOf, projectUrl, readConversationUrl } from './url.ts';

export interface Continuity {
  journal: Journal;
  /** `continuity.*`, `work_memory.*` and `herdr_mcp.browser_handoff.prepare`, for whoever serves `herdr_call`. */
  methods: LocalMethods;
  /** Journals a finalized turn that the extension sends: the body of `POST /extension/continuity/turn`. */
  acceptTurn(body: unknown, context: MethodContext): Promise<JournalReceipt>;
  /**
   * What an interrupted call of one of these methods has written: its answer, or `nothing`. Undefined when nobody can say:
   * the method is none of these, or writes in several steps.
   */
  written(call: { dispatchId: string; method: string | null }): Record<string, unknown> | 'nothing' | undefined;
}

/** Opens continuity and Work Memory over an open `state.db`. */
export function openContinuity(
  state: State,
  random: (bytes: number) => Uint8Array = (bytes) => randomBytes(bytes),
): Continuity {
  const journal = openJournal(state, random);
  const memory = openMemory(journal);
  const methods = { ...continuityMethods(memory), ...memoryMethods(memory) };
  return {
    journal,
    methods,
    acceptTurn: (body, context) => acceptTurn(journal, body, context),
    written: ({ dispatchId, method }) => {
      const atomic = method !== null && Object.hasOwn(methods, method) && methods[method]?.atomic === true;
      return atomic ? (writtenAnswer(state, dispatchId)?.answer ?? 'nothing') : undefined;
    },
  };
}
