import { createContext, Script } from 'node:vm';
import type { OutputMatch } from '../../contract/herdr/index.ts';
import { REGEX_BUDGET_MS } from '../limits.ts';

/** The first line that matches, or undefined. Throws `RegexTooSlow` when the caller's regex does not come to an end. */
export type LineMatcher = (text: string) => string | undefined;

export class RegexTooSlow extends Error {}

/** Why a regex is not one in Rust's dialect, though JavaScript would take it. */
function foreignToRust(source: string): string | undefined {
  const bare = source.replace(/\\\\/g, '').replace(/\[(?:\\.|[^\]])*\]/g, '');
  if (/\(\?<?[=!]/.test(bare)) return 'look-around is not supported';
  if (/\\[1-9]|\\k</.test(bare)) return 'back-references are not supported';
  return undefined;
}

/** Rust's leading `(?i)` and its like as JavaScript flags, and `(?P<name>` as `(?<name>`. */
function translate(source: string): { source: string; flags: string } {
  const match = /^\(\?([imsux]+)\)/.exec(source);
  const flags = match?.[1]?.replace(/[ux]/g, '') ?? '';
  return { source: source.slice(match?.[0].length ?? 0).replace(/\(\?P</g, '(?<'), flags: `${flags}u` };
}

const run = new Script('regex.exec(line) !== null');

/**
 * A matcher over lines, or why the regex is none. The pattern comes from a caller and JavaScript's engine backtracks,
 * so every line has a time budget.
 */
export function lineMatcher(match: OutputMatch): { ok: true; matches: LineMatcher } | { ok: false; reason: string } {
  const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');
  if (match.type === 'substring') {
    return { ok: true, matches: (text) => lines(text).find((line) => line.includes(match.value)) };
  }
  const foreign = foreignToRust(match.value);
  if (foreign) return { ok: false, reason: foreign };
  let regex: RegExp;
  try {
    const { source, flags } = translate(match.value);
    regex = new RegExp(source, flags);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  const context = createContext({ regex, line: '' });
  const matches: LineMatcher = (text) =>
    lines(text).find((line) => {
      context['line'] = line;
      try {
        return run.runInContext(context, { timeout: REGEX_BUDGET_MS }) === true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        throw new RegexTooSlow(`the regex did not come to an end over one line within ${REGEX_BUDGET_MS} ms`);
      }
    });
  return { ok: true, matches };
}
