import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExtraBlock, resultBytes } from '../../../runtime-a-b/operations/result-bytes.ts';

/** What the bytes must be: JSON within JSON, as V8 writes it. */
function plainly(body: Record<string, unknown>, blocks: readonly ExtraBlock[] = []): string {
  return JSON.stringify({ content: [{ type: 'text', text: JSON.stringify(body) }, ...blocks], isError: false });
}
const bytesOf = (body: Record<string, unknown>, blocks?: readonly ExtraBlock[]) =>
  Buffer.from(resultBytes(body, blocks)).toString('utf8');

/** Repeated until it is as long as the texts that are written in one walk. */
const long = (text: string): string => text.repeat(Math.ceil(40_000 / text.length));

/** Any UTF-16 at all: lone surrogates, U+2028, control characters, what JSON escapes. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0x7f }),
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0x22, 0x5c, 0x0a, 0x2028, 0x2029, 0xd800, 0xdfff, 0xfeff, 0x7f, 0x80),
    ),
    { minLength: 1, maxLength: 400 },
  )
  .map((units) => String.fromCharCode(...units));
const wellFormed = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
const fewBeyondAscii = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }), fc.string({ unit: 'grapheme-ascii' }))
  .map(([some, plain]) => `${plain.padEnd(60, 'x')}${some}\n`);
const texts = fc.oneof(
  anyText,
  wellFormed,
  fewBeyondAscii,
  fc.constantFrom('\\', '"\n', '\u0000\u001f', 'plain text\n'),
);

describe('the bytes of a result', () => {
  it('are those of JSON within JSON, whatever a long text in it holds', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 3 }), (text, cut) => {
        const content = long(text).slice(cut);
        const body = { ok: true, path: '/a "b"', lines: { end: 1 }, content, after: null, gone: undefined, tail: text };
        expect(bytesOf(body) === plainly(body)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it('are the same for several long texts, names that need escaping, and blocks behind', () => {
    const quoted = long('say "\\" ');
    const body = { 'a"\n': quoted, 7: quoted, ['__proto__']: quoted, none: () => 1, b: [quoted], stderr: `${quoted}é` };
    const blocks: ExtraBlock[] = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: '"' },
    ];
    expect(bytesOf(body, blocks)).toBe(plainly(body, blocks));
    expect(bytesOf({}, blocks)).toBe(plainly({}, blocks));
    expect(bytesOf({ content: quoted })).toBe(plainly({ content: quoted }));
  });
});
