/** Numbers of the journal, each with its reason. */

const KiB = 1024;

/** One journaled text in UTF-8: a quarter MiB holds the longest turn that chat sites accept (reference: runtime 9). */
export const ENTRY_BYTES_MAX = 256 * KiB;

/** `hc:` ids are some thirty characters; the rest is room for what another version mints (reference: runtime 8). */
export const CONTINUITY_ID_CHARS_MAX = 160;

/** What such an id is made of: it stands in messages and commands, so it holds nothing that could say more than a name. */
export const CONTINUITY_ID = `^[A-Za-z0-9][A-Za-z0-9:._-]{0,${CONTINUITY_ID_CHARS_MAX - 1}}$`;

/** Ids that a chat site gives: conversations, messages, projects. */
export const PROVIDER_ID_CHARS_MAX = 512;

/** Titles are shown, never used; a chat site cuts its own far earlier. */
export const TITLE_CHARS_MAX = 256;

/** What a person or model types into a search (reference: runtime 8 and 9). */
export const QUERY_CHARS_MAX = 512;

/** The shortest word that may end in `*`: below it a prefix matches half the journal and cannot stop early. */
export const PREFIX_CHARS_MIN = 4;

/** Longest indexed word, in characters: a sha256 in hex fits; longer ones are compared by their beginning. */
export const WORD_CHARS_MAX = 64;

/** A cursor as text; the query is its largest part and stays well below this (reference: runtime 9). */
export const CURSOR_CHARS_MAX = 4_096;

/** Recorded answers of writes outlive the ledger's 24 h receipts, so that an interrupted call can still be judged. */
export const RECEIPT_KEPT_MS = 48 * 60 * 60 * 1000;

/** Old receipts deleted with each new one: more than one, so that they cannot pile up. */
export const RECEIPTS_SWEPT = 8;

/** Text of turns in one answer, as JSON bytes (reference: runtime 8). With {@link ANSWER_BYTES} no answer is above the 100,000 characters of the contract. */
export const TAIL_BYTES = 64 * KiB;

/** Everything textual in one answer, as JSON bytes; what is left of the contract's 100,000 is for ids and notes. */
export const ANSWER_BYTES = 88_000;

/** Turns in one answer of `continuity.resume` (reference: runtime 8). */
export const TAIL_TURNS = 32;

/** Turns that `work_memory.resume` may be asked for, and how many stay untouched when old bodies are reclaimed (reference: runtime 9). */
export const TAIL_TURNS_MAX = 64;

/** An excerpt, in characters: about 24 words (reference: runtime 9). */
export const EXCERPT_CHARS = 240;

/** New entries before the index is tidied, at least and as a part of all: so the work stays a small part of appending. */
export const TIDY_EVERY = 2_000;
export const TIDY_GROWTH = 0.1;

/** Pages of 4 KiB merged with one entry: below a millisecond beside the sync of its commit. */
export const TIDY_PAGES = 16;
