import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTail, type TailPlace, type TurnHead, takeText, wireBytes } from '../../../runtime-a-b/journal/index.ts';

/** A chain held in memory; null is a reclaimed body. */
function chainOf(texts: readonly (string | null)[]) {
  const heads = texts.map(
    (text, i) =>
      ({
        seq: (i + 1) * 3,
        messageId: `m${i}`,
        hasText: text !== null,
        bytes: Buffer.byteLength(text ?? ''),
      }) as TurnHead,
  );
  return {
    headsDown: (fromSeq: number, count: number) =>
      heads
        .filter(({ seq }) => seq <= fromSeq)
        .reverse()
        .slice(0, count),
    text: (seq: number) => texts[seq / 3 - 1] ?? null,
  };
}

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\n', 'あ', '🚀', '\u0000', 'é', '\\'),
  minLength: 1,
  maxLength: 60,
});

describe('the tail of a chain', () => {
  it('walked back gives every character of every turn exactly once, each page within its budget', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(text), { maxLength: 12 }),
        fc.integer({ min: 8, max: 80 }),
        fc.integer({ min: 1, max: 5 }),
        (texts, bytes, turns) => {
          const source = chainOf(texts);
          const seen = new Map<number, string>();
          let place: TailPlace | null = null;
          let pages = 0;
          do {
            const page = readTail(source, place, { turns, bytes });
            expect(page.turns.length).toBeLessThanOrEqual(turns);
            expect(page.bytes).toBeLessThanOrEqual(bytes);
            expect([...page.turns].sort((a, b) => a.head.seq - b.head.seq)).toEqual(page.turns);
            for (const turn of page.turns) {
              expect(turn.from).toBe((seen.get(turn.head.seq) ?? '').length);
              if (turn.text !== null) seen.set(turn.head.seq, (seen.get(turn.head.seq) ?? '') + turn.text);
              else expect(texts[turn.head.seq / 3 - 1]).toBeNull();
            }
            place = page.older;
            expect(++pages).toBeLessThan(2000);
          } while (place !== null);
          for (const [i, whole] of texts.entries()) {
            if (whole !== null) expect(seen.get((i + 1) * 3)).toBe(whole);
          }
        },
      ),
    );
  });

  it('gives the newest turns whole when they fit, oldest first', () => {
    const page = readTail(chainOf(['one', 'two', 'three']), null, { turns: 2, bytes: 1000 });
    expect(page.turns.map((turn) => turn.text)).toEqual(['two', 'three']);
    expect(page.older).toEqual({ seq: 3, from: 0 });
  });

  it('gives the beginning of a turn that alone is too large, and says where it goes on', () => {
    const long = 'あ'.repeat(1000);
    const page = readTail(chainOf(['before', long]), null, { turns: 10, bytes: 302 });
    expect(page.turns).toMatchObject([{ text: 'あ'.repeat(100), from: 0, cut: true }]);
    expect(page.older).toEqual({ seq: 6, from: 100 });
  });

  it('cuts texts between characters and never takes nothing', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, budget) => {
        const { piece, next } = takeText(whole, 0, budget);
        expect(piece.length).toBeGreaterThan(0);
        expect(Buffer.from(piece).toString()).toBe(piece);
        expect(whole.slice(0, next ?? undefined)).toBe(piece);
        if (piece.length > 2) expect(wireBytes(piece)).toBeLessThanOrEqual(budget);
      }),
    );
  });
});
