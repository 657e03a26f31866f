/**
 * What a model is told of a tool's answer: the truth of the tool, shown so that it fits. Bytes are named by their size,
 * what is too deep or too long is said to be left out, and the list stays JSON whatever was cut. Pure.
 */
import { isObject } from '../../../contract/json.ts';
import { BYTES_CHARS_MAX, CUT_CHARS_MIN, RESULT_DEPTH_MAX, RESULT_ITEMS_MAX, RESULTS_CHARS_MAX } from './limits.ts';
import type { Entry } from './state.ts';

/** The entry for an answer of MCP: its one text is our own JSON, which is told as such and not as a string in a string. */
export function entryOf(index: number, tool: string, answer: unknown): Entry {
  const result = sanitized(unwrapped(answer));
  const failed = isObject(answer) && answer['isError'] === true;
  const ok = !failed && !(isObject(result) && result['ok'] === false);
  return cutEntry({ index, tool, ok, result }, RESULTS_CHARS_MAX);
}

/**
 * The runtime did not take this attempt, or an earlier one under the same key still runs: it says nothing of what earlier
 * attempts did. What it gives again out of its ledger does.
 */
export function isRefusal(answer: unknown): boolean {
  const said = unwrapped(answer);
  if (!isObject(said) || said['ok'] !== false || said['idempotent_replay'] === true) return false;
  return said['delivery'] === 'not_delivered' || said['code'] === 'idempotency_in_flight';
}

export function failure(index: number, tool: string, error: string, detail: string): Entry {
  return { index, tool, ok: false, error, detail };
}

function unwrapped(answer: unknown): unknown {
  if (!isObject(answer) || !Array.isArray(answer['content'])) return answer;
  const parts = answer['content'].map((part: unknown) =>
    isObject(part) && part['type'] === 'text' ? textOf(part) : part,
  );
  const whole = parts.length === 1 ? parts[0] : parts;
  const structured = answer['structuredContent'];
  return structured === undefined ? whole : { content: whole, structuredContent: structured };
}

function textOf(part: Record<string, unknown>): unknown {
  const { text } = part;
  if (typeof text !== 'string') return part;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text; // plain text is an answer, too
  }
}

/** Fields that hold bytes as text, and text that can be nothing else. */
const BYTES_FIELDS: ReadonlySet<string> = new Set(['data', 'blob', 'base64']);
const ONLY_BASE64 = /^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]+={0,2}$/;

export function sanitized(value: unknown, depth = 0, field = ''): unknown {
  if (typeof value === 'string') {
    const isBytes = value.length > BYTES_CHARS_MAX && (BYTES_FIELDS.has(field) || ONLY_BASE64.test(value));
    return isBytes ? `[${value.length} characters of encoded bytes left out]` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= RESULT_DEPTH_MAX) return '[deeper parts left out]';
  if (Array.isArray(value)) {
    const kept = value.slice(0, RESULT_ITEMS_MAX).map((item: unknown) => sanitized(item, depth + 1, field));
    const more = value.length - RESULT_ITEMS_MAX;
    return more > 0 ? [...kept, `[${more} more items left out]`] : kept;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [name, sanitized(inner, depth + 1, name)]),
  );
}

/** The list as it is told. The longest texts are cut first, so that short answers stay whole beside a long one. */
export function resultsText(entries: readonly Entry[]): string {
  const whole = JSON.stringify(entries);
  if (whole.length <= RESULTS_CHARS_MAX) return whole;
  const share = fairShare(
    entries.map((entry) => JSON.stringify(entry).length + 1),
    RESULTS_CHARS_MAX - 2,
  );
  return JSON.stringify(entries.map((entry) => cutEntry(entry, share)));
}

/** As much for each as there is, when those that need less leave the rest to the others. */
function fairShare(sizes: readonly number[], room: number): number {
  const rising = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [at, size] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (size > share) return share - 1;
    left -= size;
  }
  return left;
}

function cutEntry(entry: Entry, max: number): Entry {
  const fits = (given: Entry) => JSON.stringify(given).length <= max;
  if (fits(entry)) return entry;
  let low = 0;
  let high = max;
  // The most that each text may keep.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits({ ...entry, result: shortened(entry.result, middle) })) low = middle;
    else high = middle - 1;
  }
  if (low >= CUT_CHARS_MIN) return { ...entry, result: shortened(entry.result, low) };
  const { index, tool, ok } = entry;
  return { index, tool, ok, result: '[the answer is too large to be shown; ask for less, or for one page of it]' };
}

function shortened(value: unknown, chars: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= chars) return value;
    return `${value.slice(0, chars)} [cut here: ${value.length - chars} of ${value.length} characters left out]`;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => shortened(item, chars));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner, chars)]));
}
