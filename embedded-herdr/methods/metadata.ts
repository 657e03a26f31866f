import { AGENT_STATUSES, type HerdrErrorCode } from '../../contract/herdr/index.ts';
import {
  METADATA_TEXT_CHARS,
  METADATA_TOKENS_KEPT,
  METADATA_TOKENS_PER_CALL,
  METADATA_TTL_AT_MOST_MS,
  SEQUENCE_SOURCES,
} from '../limits.ts';
import { CallError } from './call.ts';

const refuse = (code: HerdrErrorCode, why: string): never => {
  throw new CallError(code, `${why}; nothing was changed`);
};

/** One line of display text, cut to what a side bar can show. */
export const shortText = (text: string): string => [...text].slice(0, METADATA_TEXT_CHARS).join('');

export function checkSource(source: string): void {
  if (source.trim() === '') refuse('invalid_metadata_source', 'source is blank');
}

export function checkTtl(ttl: number | null | undefined): void {
  if (ttl === null || ttl === undefined) return;
  if (ttl < 1 || ttl > METADATA_TTL_AT_MOST_MS) {
    refuse('invalid_metadata_ttl', `ttl_ms must be between 1 and ${METADATA_TTL_AT_MOST_MS}`);
  }
}

export function checkStateLabels(labels: Readonly<Record<string, string>> | undefined): void {
  for (const name of Object.keys(labels ?? {})) {
    if (!AGENT_STATUSES.some((status) => status === name)) {
      refuse('invalid_state_label', `${JSON.stringify(name)} is not a status`);
    }
  }
}

/**
 * The tokens that stand after a call: given ones are set, null ones taken away. Refuses names that no token can have,
 * too many in one call, and more than are kept.
 */
export function nextTokens(
  current: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const names = Object.keys(given);
  if (names.length > METADATA_TOKENS_PER_CALL) {
    refuse('invalid_metadata_token', `${names.length} tokens in one call; at most ${METADATA_TOKENS_PER_CALL}`);
  }
  const next: Record<string, string> = { ...current };
  for (const [name, value] of Object.entries(given)) {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(name))
      refuse('invalid_metadata_token', `${JSON.stringify(name)} is no token name`);
    if (value === null) delete next[name];
    else next[name] = shortText(value);
  }
  if (Object.keys(next).length > METADATA_TOKENS_KEPT) {
    refuse('metadata_token_limit', `more than ${METADATA_TOKENS_KEPT} tokens would be kept`);
  }
  return next;
}

/**
 * Whether a numbered report is new. Once a source has used numbers, its reports without one are old by definition.
 * Remembers the number. Refuses a further source when too many are remembered already.
 */
export function takesSequence(sequences: Map<string, number>, key: string, seq: number | null | undefined): boolean {
  const last = sequences.get(key);
  if (seq === null || seq === undefined) return last === undefined;
  if (last !== undefined && seq <= last) return false;
  if (last === undefined && sequences.size >= SEQUENCE_SOURCES) {
    refuse('metadata_sequence_source_limit', `more than ${SEQUENCE_SOURCES} sources number their reports here`);
  }
  sequences.set(key, seq);
  return true;
}
