/**
 * The journal: chains of work, the conversations and workspaces that belong to them, their finalized turns and evidence,
 * and the index that finds words in them. Everything here is storage and exact lookup; what may be resumed by whom is
 * decided in `continuity/`, what a checkpoint promises in `memory/`.
 */
export type { Binding, Conversation, Owner } from './bindings.ts';
export type { Chain, Growth, NewChain, Partition } from './chains.ts';
export { type CursorKind, openCursor, sealCursor } from './cursor.ts';
export {
  type Appended,
  digest,
  type Evidence,
  type EvidenceHead,
  type NewEvidence,
  type NewTurn,
  type Role,
  storable,
  type Turn,
  type TurnHead,
} from './entries.ts';
export { beginning, charBorder, excerptAround, takeText, wireBytes } from './excerpt.ts';
export { atomicMethod, inTransaction, type Journal, openJournal, writtenAnswer } from './journal.ts';
export {
  ANSWER_BYTES,
  CONTINUITY_ID,
  CONTINUITY_ID_CHARS_MAX,
  CURSOR_CHARS_MAX,
  ENTRY_BYTES_MAX,
  PROVIDER_ID_CHARS_MAX,
  QUERY_CHARS_MAX,
  TAIL_BYTES,
  TAIL_TURNS,
  TAIL_TURNS_MAX,
  TITLE_CHARS_MAX,
} from './limits.ts';
export { type LocalMethod, type LocalMethods, type MethodContext, method } from './method.ts';
export { assertPerson } from './person.ts';
export { readTail, type TailPage, type TailPlace, type TailTurn } from './tail.ts';
export { type Condition, fold, indexWords, matchExpression, readQuery } from './words.ts';
