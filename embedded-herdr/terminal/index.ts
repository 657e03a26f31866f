/** A pane's terminal: a real PTY, the screen it draws on, and reads of that screen as Herdr gives them. */
export { type LineMatcher, lineMatcher, RegexTooSlow } from './match.ts';
export { reportedDirectory } from './queries.ts';
export type { Reading } from './reading.ts';
export { openTerminal, type PaneTerminal, type TerminalEvents, type TerminalSpec } from './terminal.ts';
export { strippedTitle, titleSpins } from './title.ts';
