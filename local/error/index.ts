/**
 * What goes wrong on the workstation before a tool call exists: a file that may not be trusted, a port in use, a program
 * that is missing. Commands print the two sentences and end; nothing prints a stack to a person.
 */
export class LocalError extends Error {
  /** For tests and for callers that branch; never shown alone. */
  readonly code: string;
  /** What to do next, one sentence. */
  readonly next: string;

  constructor(code: string, message: string, next: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LocalError';
    this.code = code;
    this.next = next;
  }

  /** What happened and what to do, on one line. */
  get sentence(): string {
    return `${this.message} ${this.next}`;
  }
}

/** The code of a system error (`ENOENT`), or `undefined` when it is something else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
