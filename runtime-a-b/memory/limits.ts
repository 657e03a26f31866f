/** Numbers of Work Memory, each with its reason. Those of texts and answers stand in the journal's limits. */

const KiB = 1024;

/** The names of a partition, in characters (reference: runtime 2.6 and 8). */
export const PROJECT_REF_CHARS_MAX = 256;
export const REPO_ID_CHARS_MAX = 512;
export const WORK_CHAIN_ID_CHARS_MAX = 128;

/** Names of providers, and the refs of accounts, spaces and sessions that the browser registry gives. */
export const PROVIDER_CHARS_MAX = 32;
export const REF_CHARS_MAX = 256;

/** A word that says what evidence is: `test_run`, `diff`, `decision` (reference: runtime 9). */
export const KIND_CHARS_MAX = 32;

/** A path inside a repository; longer ones no file system takes. */
export const PORTABLE_PATH_CHARS_MAX = 1_024;

/** What a checkpoint says in prose, and as JSON (reference: runtime 9). */
export const SUMMARY_CHARS_MAX = 8_192;
export const CHECKPOINT_BYTES_MAX = 64 * KiB;
/** Nesting of a checkpoint: people write a handful of levels; thousands can be read and not be written into an answer again. */
export const CHECKPOINT_DEPTH_MAX = 64;

/** Newest evidence in one answer (reference: runtime 9). */
export const EVIDENCE_SHOWN = 24;
/** The part of an answer's text that evidence may take; the rest is for turns, which say what was wanted. */
export const EVIDENCE_SHARE = 1 / 3;

/** Hits of one page of a search (reference: runtime 9). */
export const HITS_DEFAULT = 10;
export const HITS_MAX = 20;

/** Turns that one step of a reclaiming takes: a step stays in the milliseconds, and calls run between two of them. */
export const RECLAIM_STEP = 100;

/** One fact of a work state, in characters, and how many of a kind: an overview, not the journal again. */
export const FACT_CHARS_MAX = 400;
export const FACTS_MAX = 12;
