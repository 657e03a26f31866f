/**
 * Exit codes of `herdr-mcp`, the same for every command:
 * 0 done (also when the reader of a pipe went away); 1 refused or failed, with the reason on stderr;
 * 2 wrong usage, or a check of `doctor` that failed; 130 interrupted at a question.
 */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The command line itself is wrong; the sentence says how. */
export class UsageError extends Error {}

/** A person pressed Ctrl-C or ended the input at a question; nothing was sent. */
export class Interrupted extends Error {}
