/** The last part of a text that fits into so many UTF-8 bytes, cut between two characters. Pure. */
function lastBytes(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  let from = all.length - Math.max(0, bytes);
  while (from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return all.subarray(from).toString('utf8');
}

/**
 * The end of what a terminal showed, without control characters, so short that it takes at most `bytes` when it is quoted
 * in JSON. Pure.
 */
export function quotable(text: string, bytes: number): string {
  let kept = lastBytes(text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]+/g, ' '), bytes);
  for (let size = quotedBytes(kept); size > bytes && kept !== ''; size = quotedBytes(kept)) {
    kept = lastBytes(kept, Math.floor((Buffer.byteLength(kept) * bytes) / size) - 4);
  }
  return kept;
}

const quotedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
