/** Pages and lists that fit an answer as it is written there: control characters and quotes take more room than bytes. */
import { RESULT_TEXT_CHARS } from '../../contract/limits.ts';

/** Room of an answer for everything beside its output or its list, in characters. */
const FRAME_CHARS = 12_000;

/** Room for the main part of an answer; somebody who asked for more bytes than are usual gets them. */
export const roomFor = (askedBytes = 0): number => Math.max(RESULT_TEXT_CHARS, askedBytes) - FRAME_CHARS;

/** Reads at most this much less in the next try than the last one would allow: the rest of the text may be denser. */
const SAFETY = 0.95;

/**
 * The longest page of at most `bytes` whose text takes at most `room` characters of JSON, near enough; `read` gives the
 * page for a number of bytes. Pure beside `read`, which is asked a few times at most.
 */
export function fittingPage<P extends { text: string }>(read: (bytes: number) => P, bytes: number, room: number): P {
  let asked = bytes;
  for (;;) {
    const page = read(asked);
    const length = JSON.stringify(page.text).length;
    if (length <= room || asked <= 1) return page;
    asked = Math.max(1, Math.min(asked - 1, Math.floor((asked * room * SAFETY) / length)));
  }
}

/** The first items that take at most `room` characters of JSON. */
export function fittingItems<T>(items: readonly T[], room: number): T[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
