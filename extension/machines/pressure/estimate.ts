/** How many tokens a text may have. An estimate, and called so wherever it is shown. Pure. */
import { TOKENS_PER } from './limits.ts';

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\ud840-\ud87f][\udc00-\udfff]/;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const char of text) {
    if (WIDE.test(char)) tokens += TOKENS_PER.wide;
    else if (/\s/.test(char)) tokens += TOKENS_PER.blank;
    else if (/\p{L}/u.test(char)) tokens += TOKENS_PER.letter;
    else if (/\d/.test(char)) tokens += TOKENS_PER.digit;
    else tokens += TOKENS_PER.other;
  }
  return Math.ceil(tokens);
}
