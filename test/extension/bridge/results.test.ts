/** What a model is told of an answer: bounded, without bytes, and JSON whatever was cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf, resultsText, sanitized } from '../../../extension/machines/bridge/results.ts';
import { verifies } from '../../verifies.ts';

const answer = (body: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(body) }] });
const MAX = 60_000;

describe('an answer of a tool', () => {
  it('is told as what it is: our JSON not as a string in a string', () => {
    verifies('bridge.json');
    expect(entryOf(2, 'herdr_fs_edit', answer({ ok: true, changed: 1 }))).toEqual({
      index: 2,
      tool: 'herdr_fs_edit',
      ok: true,
      result: { ok: true, changed: 1 },
    });
  });

  it.each([
    ['a gate’s refusal', answer({ ok: false, code: 'readonly_mode', reason: 'readonly_mode' })],
    ['an error', { ...answer({ ok: false, code: 'internal' }), isError: true }],
    ['an error in words', { content: [{ type: 'text', text: 'no such file' }], isError: true }],
  ])('is not ok for %s', (_name, given) => {
    verifies('bridge.bounds', 'bridge.results');
    expect(entryOf(0, 'x', given).ok).toBe(false);
  });

  it('names bytes by their size, wherever they stand', () => {
    verifies('bridge.json', 'bridge.results');
    const bytes = 'QUJD'.repeat(5_000);
    const given = {
      content: [
        { type: 'image', data: bytes, mimeType: 'image/png' },
        { type: 'text', text: JSON.stringify({ ok: true, blob: bytes, deep: { base64: bytes, text: bytes } }) },
      ],
      structuredContent: { data: bytes },
    };
    const told = JSON.stringify(entryOf(0, 'herdr_fs_image', given));
    expect(told).not.toContain('QUJDQUJD');
    expect(told.match(/20000 characters of encoded bytes left out/g)).toHaveLength(5);
    expect(told).toContain('image/png');
    expect(sanitized({ data: 'short' })).toEqual({ data: 'short' });
  });

  it('is cut in depth and breadth, and says so', () => {
    verifies('bridge.results');
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } };
    expect(JSON.stringify(sanitized(deep))).toContain('deeper parts left out');
    const long = sanitized(Array.from({ length: 500 }, (_, index) => index)) as unknown[];
    expect(long).toHaveLength(201);
    expect(long.at(-1)).toBe('[300 more items left out]');
  });

  it('keeps short answers whole beside a long one', () => {
    verifies('bridge.json', 'bridge.results');
    const long = 'line of output, '.repeat(20_000);
    const entries = [
      entryOf(0, 'herdr_fs_read', answer({ ok: true, text: long })),
      entryOf(1, 'herdr_fs_edit', answer({ ok: true, changed: 1 })),
      entryOf(2, 'herdr_exec', answer({ ok: true, stdout: long })),
    ];
    const text = resultsText(entries);
    expect(text.length).toBeLessThanOrEqual(MAX);
    const told = JSON.parse(text) as { result: { text?: string; stdout?: string } }[];
    expect(told[1]).toEqual(entries[1]);
    for (const said of [told[0]?.result.text, told[2]?.result.stdout]) {
      expect(said).toMatch(/\[cut here: \d+ of \d+ characters left out\]$/);
      expect(said?.length).toBeGreaterThan(20_000);
    }
  });

  it('fits and stays a list with one entry a call, whatever the tools answered', () => {
    verifies('bridge.json', 'bridge.results');
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.nat({ max: 120_000 }).map((size) => ({ ok: true, text: 'a"\\\n日'.repeat(size / 5) })),
      fc.nat({ max: 9_000 }).map((size) => Array.from({ length: size % 190 }, () => 'x y '.repeat(size / 10))),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 24 }), (answers) => {
        const text = resultsText(answers.map((one, index) => entryOf(index, 'herdr_exec', answer(one))));
        expect(text.length).toBeLessThanOrEqual(MAX);
        const told = JSON.parse(text) as { index: number }[];
        expect(told.map(({ index }) => index)).toEqual(answers.map((_, index) => index));
      }),
      { numRuns: 25 },
    );
  });
});
