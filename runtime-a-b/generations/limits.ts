/** Numbers of the A/B machinery, each with its reason. */

/** How long a command waits for another one that changes `desired.json`, in ms: a write takes milliseconds. */
export const DESIRED_LOCK_MS = 5_000;

/** How often it tries meanwhile, in ms. */
export const DESIRED_POLL_MS = 10;

/** Longest answer of a runtime to a question of its supervisor, in ms: a first herdr_inspect takes a snapshot. */
export const ASK_MS = 10_000;

/** A Herdr that answers does so at once; a hanging one must not keep us, in ms. */
export const HERDR_PING_MS = 2_000;

/** A log that is larger when its writer starts is put aside, in bytes: weeks of an ordinary workstation. */
export const LOG_BYTES_MAX = 16 * 1024 * 1024;

/** How long a child may take to answer after its start, in ms. On a busy machine the first start reads cold files. */
export const READY_MS_MAX = 60_000;

/**
 * How long a runtime that was ready may give no answer before it is ended and started anew, in ms, and how many times it
 * is asked meanwhile. Its health needs no lock and no disk; a minute is longer than any machine is too busy for it.
 */
export const SILENT_MS = 60_000;
export const SILENT_LOOKS = 6;

/** How long a child may take to end before it is ended, in ms: link and runtime give what runs 5 s themselves. */
export const END_MS = { link: 7_000, 'runtime-a': 8_000, 'runtime-b': 8_000, herdr: 5_000 } as const;

/** Between two looks while something is on its way, and while nothing is, in ms. A look is a few stats. */
export const LOOK_BUSY_MS = 50;
export const LOOK_IDLE_MS = 250;

/** Back-off of a child that ends by itself: the first wait and the longest, in ms. A person who mends it waits no longer. */
export const RESTART_FIRST_MS = 250;
export const RESTART_MAX_MS = 60_000;

/** A child that ran this long was well, in ms: its next ending counts as a first one. */
export const STABLE_MS = 60_000;

/** How a promotion is watched unless desired.json says otherwise: long enough for the edge to refuse the new contract. */
export const OBSERVATION = { checks: 5, interval_ms: 1_000 } as const;

/**
 * How many times in a row a generation may miss a look at a promotion before that is taken for its fault. Each waits
 * {@link ASK_MS}, so it is half a minute: on a loaded machine one answer may take longer than that, three do not, and one whose
 * process ended is known by that at once.
 */
export const MISSED_LOOKS = 3;

/** How often a draining generation is asked whether it is done, in ms. */
export const DRAINED_LOOK_MS = 1_000;

/** What a migration may take, in ms: a copy and some added columns of a database of a few GB. */
export const MIGRATE_MS = 10 * 60_000;

/** How often a damaged revision is read again, in ms: reading it all takes a tenth of a second. */
export const DAMAGED_LOOK_MS = 10_000;

/** Last lines of its log that are repeated when a child ends by itself. */
export const LAST_WORDS = 5;

/** Of that log only the end is read, in bytes. */
export const LAST_WORDS_BYTES = 16 * 1024;

/**
 * Largest half of the young generation of a runtime's and a link's heap, in MiB. V8 takes up to 64 on a machine with much memory, grows
 * it with what happens to live in one moment and never gives it back: under mixed load a runtime climbed from 130 to 230 MB in
 * five minutes and went on, with 22 MB of objects, and a link under 32 callers to 199. With 16 they stay below 170 and 140, and
 * no call takes more of the processor.
 */
export const YOUNG_HALF_MIB = 16;
