import { argumentsAfter } from '../../contract/catalog/index.ts';

/**
 * Arguments without which a call would mean something else: guards (without them it may do what the caller forbade),
 * and what selects the answer (without `rev` another commit is shown, without `cursor` the first page comes for ever).
 * They are never dropped. What is not here only narrows the answer.
 */
const NEEDED: ReadonlySet<string> = new Set(['idempotency_key', 'expected_sha256', 'steps', 'rev', 'offset', 'cursor']);

export type Fitted = { ok: true; args: Uint8Array } | { ok: false; missing: string[] };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The arguments as a runtime of this epoch takes them (design, section 4): what it lacks is dropped, or the call is
 * refused when that would change what the call means. The bytes pass untouched to a runtime that knows everything.
 */
export function fitArguments(tool: string, args: Uint8Array, epoch: number): Fitted {
  const later = argumentsAfter(tool, epoch);
  if (later.length === 0) return { ok: true, args };
  const parsed = JSON.parse(decoder.decode(args)) as Record<string, unknown>;
  const used = later.filter((name) => Object.hasOwn(parsed, name));
  if (used.length === 0) return { ok: true, args };
  const missing = used.filter((name) => NEEDED.has(name));
  if (missing.length > 0) return { ok: false, missing };
  for (const name of used) delete parsed[name];
  return { ok: true, args: encoder.encode(JSON.stringify(parsed)) };
}
