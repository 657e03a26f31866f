/** What a person sees and types: lines, tables, ages, questions. Answers go to stdout, everything else to stderr. */
export { ask, readCode } from './ask.ts';
export { readPiped } from './piped.ts';
export { type Screen, type Size, takeScreen } from './screen.ts';
export { readSecret } from './secret.ts';

import { harmless, jsonLine } from './text.ts';

export { age, counted, oneLine, table } from './text.ts';

/** One line of the answer. Whatever words in it came from elsewhere, it is one line, and a terminal only shows it. */
export function say(line: string): void {
  process.stdout.write(`${harmless(line)}\n`);
}

/** One line beside the answer, as harmless: a hint or a notice. */
export function note(line: string): void {
  process.stderr.write(`${harmless(line)}\n`);
}

/** A text of several lines, each as {@link say} says it, or as another one does. */
export function sayText(text: string, line: (line: string) => void = say): void {
  for (const one of text.split('\n')) line(one);
}

/** The help of a command: our own words, with the colours that they have. */
export function sayHelp(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The answer as one line of JSON, for programs; a terminal that shows it finds nothing in it to act on. */
export function sayJson(value: unknown): void {
  say(jsonLine(value));
}
