/** How many tokens a text may have. An estimate, and called so wherever it is shown. Pure. */
import { TOKENS_PER } from './limits.ts';

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\ud840-\ud87f][\udc00-\udfff]/;
const KINDS = Object.keys(TOKENS_PER) as (keyof typeof TOKENS_PER)[];

export function estimateTokens(text: string): number {
  const counts = { wide: 0, letter: 0, digit: 0, blank: 0, other: 0 };
  for (const char of text) counts[kindOf(char)] += 1;
  const tokens = KINDS.reduce((sum, kind) => sum + counts[kind] * TOKENS_PER[kind], 0);
  // What only the arithmetic of fractions adds is no token.
  return Math.ceil(Math.round(tokens * 1_000) / 1_000);
}

function kindOf(char: string): keyof typeof TOKENS_PER {
  if (WIDE.test(char)) return 'wide';
  if (/\s/.test(char)) return 'blank';
  if (/\p{L}/u.test(char)) return 'letter';
  return /\d/.test(char) ? 'digit' : 'other';
}
