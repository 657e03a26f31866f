/** One page of an output, by byte offset. Pure. */

import { isContinuation } from '../../code-points.ts';

export interface Slice {
  text: string;
  /** Where the given text really begins: an offset inside a character moves to its end. */
  offset: number;
  nextOffset: number | null;
}

/** At most `max` bytes from `offset`, cut after a line where one ends in it, and never inside a character. */
export function slice(bytes: Buffer, offset: number, max: number): Slice {
  let from = Math.min(offset, bytes.length);
  while (from < bytes.length && isContinuation(bytes[from])) from += 1;
  let to = Math.min(from + max, bytes.length);
  if (to < bytes.length) {
    const line = bytes.lastIndexOf(10, to - 1);
    if (line >= from) to = line + 1;
    else while (to > from + 1 && isContinuation(bytes[to])) to -= 1;
  }
  return { text: bytes.toString('utf8', from, to), offset: from, nextOffset: to < bytes.length ? to : null };
}
