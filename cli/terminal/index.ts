/** What a person sees and types: lines, tables, ages, questions. Answers go to stdout, everything else to stderr. */
export { ask, readCode } from './ask.ts';
export { readPiped } from './piped.ts';
export { type Screen, type Size, takeScreen } from './screen.ts';
export { readSecret } from './secret.ts';

import { jsonLine } from './text.ts';

export { age, oneLine, table } from './text.ts';

/** One line of the answer. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One line beside the answer: a hint or a notice. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The answer as one line of JSON, for programs; a terminal that shows it finds nothing in it to act on. */
export function sayJson(value: unknown): void {
  say(jsonLine(value));
}
