/**
 * What we ourselves typed into each agent's terminal lately. An agent shows a prompt again behind its marker; without this
 * the echo of the last prompt would pass for a line that somebody is typing. Kept in memory only: after a restart such a
 * line counts as somebody's again, which refuses too much and never too little.
 */
import { OWN_PROMPT_MS, OWN_PROMPTS_KEPT, OWN_TERMINALS_KEPT } from '../../limits.ts';
import { type AgentState, startOf } from './turn.ts';

export interface OwnPrompt {
  text: string;
  atMs: number;
  /** Whether the agent took it, as far as it was seen; false also while that is not known. */
  taken: boolean;
  /** The agent right before it was typed. */
  before?: AgentState;
}

/** What the agent's present state says of prompts that had not been seen to be taken. */
export function judgeTaken(prompts: readonly OwnPrompt[], now: AgentState): void {
  for (const prompt of prompts) {
    if (!prompt.taken && prompt.before) prompt.taken = startOf(prompt.before, now) !== 'not_seen';
  }
}

/** How a text on the screen relates to a prompt: `all` of it is (the beginning of) the prompt, or it only begins with it. */
export type Likeness = 'all' | 'begins' | 'no';

export class OwnPrompts {
  readonly #sent = new Map<string, OwnPrompt[]>();

  /** Notes a prompt that is about to be typed. The caller sets `taken` when the agent is seen to have begun. */
  note(terminal: string, text: string, nowMs: number): OwnPrompt {
    const prompt = { text, atMs: nowMs, taken: false };
    const kept = [...(this.#sent.get(terminal) ?? []), prompt].slice(-OWN_PROMPTS_KEPT);
    this.#sent.delete(terminal);
    this.#sent.set(terminal, kept);
    const oldest = this.#sent.keys().next().value;
    if (this.#sent.size > OWN_TERMINALS_KEPT && oldest !== undefined) this.#sent.delete(oldest);
    return prompt;
  }

  /** Those of the last hour, the newest first. */
  of(terminal: string, nowMs: number): OwnPrompt[] {
    const kept = this.#sent.get(terminal) ?? [];
    return kept.filter(({ atMs }) => nowMs - atMs <= OWN_PROMPT_MS).reverse();
  }
}

/**
 * Compares the rows of a screen with a prompt, line by line and without regard to white space. A line of the prompt may be
 * wrapped over several rows; a row that holds only a part of a line, or more than it, is not the prompt's, unless it is the
 * last of several, behind which the agent may print. Pure.
 */
export function likeness(shown: string, prompt: string): Likeness {
  const rows = bareLines(shown);
  const lines = bareLines(prompt);
  if (rows.length === 0 || lines.length === 0) return 'no';
  let at = 0;
  for (const [index, line] of lines.entries()) {
    if (at === rows.length) return 'all'; // the screen shows its first lines only
    let gathered = '';
    while (gathered !== line) {
      const row = rows[at];
      if (row === undefined) return 'no';
      gathered += row;
      if (line.startsWith(gathered)) {
        at += 1;
        continue;
      }
      // The agent's own output may follow on the last row; on the first one it could as well be typed.
      return index > 0 && index === lines.length - 1 && gathered.startsWith(line) ? 'begins' : 'no';
    }
  }
  return at === rows.length ? 'all' : 'begins';
}

const bareLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\s+/gu, ''))
    .filter((line) => line !== '');
