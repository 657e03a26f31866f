/** Numbers of the capability scan, each with its reason. */

/** One probe of one program (reference 10.1): a program that needs longer to say its version is doing something else. */
export const PROBE_MS = 3_000;
/** Kept of each stream of a probe; the rest is read and dropped. */
export const PROBE_BYTES = 32 * 1024;
/** Probes at once: the machine also works for somebody. */
export const PROBE_PARALLEL = 3;

/** Records kept (reference 10.1); far more kinds than anybody has installed. */
export const RECORDS_MAX = 256;
/** Longest text of a trait: a version or a model, not a page. */
export const TRAIT_CHARS_MAX = 160;

/** Workers that an answer names; the rest is counted. */
export const NAMED_MAX = 12;

/** Changes when a probe is read in another way: older evidence is then none. */
export const ADAPTER_VERSION = 1;
