/**
 * The calls in a model's reply. A call is an object whose first key is `tool`; several may follow each other. The reply
 * ends with its calls: an answer in words that quotes a call as an example runs nothing. Pure.
 */
import { UNSHOWN } from '../../reading.ts';
import { CALLS_MAX, TOOL_NAME_CHARS_MAX } from './limits.ts';

export interface Asked {
  tool: string;
  args: Record<string, unknown>;
  /** It stood in a code block: outside of one the site may have changed characters that mean something to it. */
  fenced: boolean;
}

export type Flaw = 'malformed' | 'incomplete' | 'words_after' | 'too_many' | 'several';

/** Stands between two answers to one message, where a site lets two models answer beside each other. */
export const ANOTHER_ANSWER = '\n\u001e\n';

export type Parsed =
  /** An answer in words. */
  { kind: 'none' } | { kind: 'calls'; calls: readonly Asked[] } | { kind: 'flawed'; flaw: Flaw };

/** Where a call begins, also after a bracket of a list. */
const BEGINS = /\{\s*"tool"\s*:/g;
/** What may stand between calls and after the last one: spaces, list marks and the fences of a block. */
const BETWEEN = /^(?:\s|,|\]|`{3,}[\w-]*)*$/;
/** What may stand in a block before its first call: the bracket of a list, and the block's own language. */
const BEFORE = /^\s*(?:json\w*\s+)?[\s[]*$/i;

export function parseReply(text: string): Parsed {
  const calls: Asked[] = [];
  let end = 0;
  BEGINS.lastIndex = 0;
  if (text.includes(ANOTHER_ANSWER) && text.search(BEGINS) >= 0) return { kind: 'flawed', flaw: 'several' };
  for (let begins = BEGINS.exec(text); begins !== null; begins = BEGINS.exec(text)) {
    const from = begins.index;
    if (calls.length > 0 && !BETWEEN.test(text.slice(end, from))) return { kind: 'flawed', flaw: 'words_after' };
    const close = closeOf(text, from);
    if (close === null) return { kind: 'flawed', flaw: 'incomplete' };
    if (text.includes(UNSHOWN)) return { kind: 'flawed', flaw: 'incomplete' };
    const call = readCall(text.slice(from, close + 1));
    if (call === null) return { kind: 'flawed', flaw: 'malformed' };
    const block = blockAt(text, from);
    // Code that only holds such an object, among other things, asks for nothing.
    if (block !== null && block >= end && !BEFORE.test(text.slice(block, from)))
      return { kind: 'flawed', flaw: 'words_after' };
    calls.push({ ...call, fenced: block !== null });
    if (calls.length > CALLS_MAX) return { kind: 'flawed', flaw: 'too_many' };
    end = close + 1;
    BEGINS.lastIndex = end;
  }
  if (calls.length === 0) return isMeantAsCall(text) ? { kind: 'flawed', flaw: 'malformed' } : { kind: 'none' };
  return BETWEEN.test(text.slice(end)) ? { kind: 'calls', calls } : { kind: 'flawed', flaw: 'words_after' };
}

/**
 * A reply as a person reads it: the words before its calls, and the tools. Also while it is still being written. Null: it is
 * an answer, or nothing that was taken for calls.
 */
export function shownCalls(text: string): { words: string; tools: readonly string[] } | null {
  const parsed = parseReply(text);
  if (parsed.kind === 'none' || (parsed.kind === 'flawed' && parsed.flaw !== 'incomplete')) return null;
  const words = text.slice(0, Math.max(0, text.search(BEGINS))).replace(/[\s[,]*(?:`{3,}[\w-]*)?[\s[,]*$/, '');
  const names = [...text.matchAll(/\{\s*"tool"\s*:\s*"([\w.-]{1,128})"/g)].flatMap(([, name]) => name ?? []);
  return { words, tools: [...new Set(names)] };
}

/** Nothing but JSON with a word of calls in it, and yet no call. JSON that a person has asked for is an answer. */
function isMeantAsCall(text: string): boolean {
  const isJson = /^(?:\s|`{3,}[\w-]*)*[{[]/.test(text) && /[}\]](?:\s|`{3,})*$/.test(text);
  return isJson && /"(?:tool\w*|function\w*|arguments|args)"\s*:/.test(text);
}

/** The brace that closes the one at `from`; braces inside strings do not count. */
function closeOf(text: string, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return null;
}

function readCall(json: string): Omit<Asked, 'fenced'> | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null; // said to the model as malformed
  }
  if (typeof value !== 'object' || value === null) return null;
  const { tool, args = {}, ...more } = value as Record<string, unknown>;
  if (typeof tool !== 'string' || tool === '' || tool.length > TOOL_NAME_CHARS_MAX) return null;
  if (typeof args !== 'object' || args === null || Array.isArray(args) || Object.keys(more).length > 0) return null;
  return { tool, args: args as Record<string, unknown> };
}

/** Where the block around `at` begins; null: there is none. A block ends with a fence as long as its own. */
function blockAt(text: string, at: number): number | null {
  let fence = 0;
  let begins = 0;
  for (const { 0: line, 1: ticks = '', 2: word = '', index } of text.slice(0, at).matchAll(/^[ \t]*(`{3,})(.*)$/gm)) {
    if (fence === 0) [fence, begins] = [ticks.length, index + line.length];
    else if (ticks.length >= fence && word.trim() === '') fence = 0;
  }
  return fence === 0 ? null : begins;
}
