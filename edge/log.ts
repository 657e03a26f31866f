/**
 * One JSON object a line, to the Worker's console. Facts and ids only: never arguments, results, tokens, conversation
 * marks, or an exception's text, which may quote any of them.
 */
export type LogFields = Record<string, string | number | boolean | undefined>;

export function log(event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ at_ms: Date.now(), event, ...fields }));
}

/** What may be said of an exception: its class and the name of the place, not its message. */
export function logFault(where: string, error: unknown, fields: LogFields = {}): void {
  console.error(JSON.stringify({ at_ms: Date.now(), event: 'fault', where, error: nameOf(error), ...fields }));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
