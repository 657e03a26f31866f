/**
 * The newest turns of a chain within a budget, and a place from which older ones go on: walking back gives every
 * character of every turn exactly once. A turn that alone is larger than the budget comes in pieces.
 */

import type { TurnHead } from './entries.ts';
import { takeText, wireBytes } from './excerpt.ts';

/** The next piece to give, going back: turn `seq`, from this character on. */
export interface TailPlace {
  seq: number;
  from: number;
}

export interface TailTurn {
  head: TurnHead;
  /** null when the body was reclaimed. */
  text: string | null;
  /** Where in the turn this piece begins, in UTF-16 units; 0 for a whole turn. */
  from: number;
  /** There is more of this turn behind the piece. */
  cut: boolean;
}

export interface TailPage {
  /** Oldest first. */
  turns: TailTurn[];
  /** null when the chain's first turn is in the page. */
  older: TailPlace | null;
  /** JSON bytes of the texts. */
  bytes: number;
}

export interface TailSource {
  /** Turns from `seq` downwards. */
  headsDown(fromSeq: number, count: number): TurnHead[];
  text(seq: number): string | null;
}

/** One page. `place` null begins at the newest turn. */
export function readTail(
  source: TailSource,
  place: TailPlace | null,
  limits: { turns: number; bytes: number },
): TailPage {
  const heads = source.headsDown(place?.seq ?? Number.MAX_SAFE_INTEGER, limits.turns + 1);
  const turns: TailTurn[] = [];
  let left = limits.bytes;
  let older: TailPlace | null = null;
  for (const head of heads) {
    const from = head.seq === place?.seq ? place.from : 0;
    if (turns.length === limits.turns || (turns.length > 0 && head.hasText && head.bytes > left)) {
      older = { seq: head.seq, from };
      break;
    }
    const text = head.hasText ? source.text(head.seq) : null;
    if (text === null) {
      turns.push({ head, text: null, from: 0, cut: false });
      continue;
    }
    if (turns.length > 0 && wireBytes(text) > left) {
      older = { seq: head.seq, from: 0 };
      break;
    }
    const { piece, next } = takeText(text, from, left);
    turns.push({ head, text: piece, from, cut: next !== null });
    left -= wireBytes(piece);
    if (next !== null) {
      older = { seq: head.seq, from: next };
      break;
    }
  }
  return { turns: turns.reverse(), older, bytes: limits.bytes - left };
}
