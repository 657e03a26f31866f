/** Numbers of the soak run, each with its reason. */

/** How long it runs, in minutes: long enough for six promotions and for every timer below an hour. */
export const MINUTES = 60;

/** Calls a second from all raw connectors: some 20,000 in an hour, on two cores that others use too. */
export const PER_SECOND = 6;

/**
 * Calls under way at once; when so many are, the next waits. A machine that is busy with other things makes the run slower
 * and never tests how long a queue of writes may grow before callers are told `unknown`.
 */
export const AT_ONCE = 12;

/** Connectors that sign in on their own and keep their own tokens. */
export const CONNECTORS = 4;

/** How often every process is looked at, in ms. */
export const SAMPLE_MS = 10_000;

/** The link's socket is cut so often, in ms: every back-off has long ended by then. */
export const CUT_MS = 3 * 60_000;

/** A new revision is staged and promoted so often, in ms. */
export const PROMOTE_MS = 10 * 60_000;

/** Each connector renews its tokens so often, in ms: far more often than a host would. */
export const REFRESH_MS = 2 * 60_000;

/** A prompt for the agent so often, in ms: its turn takes four seconds, and its settling is noticed after that. */
export const PROMPT_MS = 20_000;

/** An SDK client asks so often, and goes away and comes back after so many questions. */
export const SDK = { everyMs: 1_500, callsPerConnection: 40 } as const;

/** A visitor signs in, calls, and ends its grant so often, in ms. */
export const VISIT_MS = 5 * 60_000;

/** A subscriber of the extension's socket stays so long before it leaves and comes back with its last event, in ms. */
export const SUBSCRIBER_MS = 45_000;

/** The browser asks its native host so often, in ms. */
export const BROWSER_ASKS_MS = 2_000;

/** How long processes may take to end after the product was told to, in ms. */
export const ENDING_MS = 30_000;

/** Files that whole-file writes take turns in. */
export const SLOTS = 200;

/** Lines of 4 KiB in the large file: a result of 1 MiB with its escapes. */
export const LARGE_LINES = 64;

/** Runs shorter than this say nothing about memory, in ms: V8 and workerd fill their heaps for minutes. */
export const JUDGED_MS = 20 * 60_000;

/** How much a median may rise and still be flat: less than a garbage collection swings. */
export const FLAT = { part: 0.1, rssMb: 15, fds: 4, threads: 2, processes: 4 } as const;

/** A life of a process counts when it has so many samples: three minutes. */
export const LIFE_SAMPLES = 18;

/** How long until the next look at something that is waited for, in ms. */
export const LOOK_MS = 250;
