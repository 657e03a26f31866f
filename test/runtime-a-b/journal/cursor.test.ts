import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorKind, openCursor, sealCursor } from '../../../runtime-a-b/journal/index.ts';
import { openDesk } from '../continuity/desk.ts';

const key = new Uint8Array(32).fill(7);
const inside = fc.jsonValue({ maxDepth: 2 });
const kind = fc.constantFrom<CursorKind>('wmc', 'hct', 'hcl');

describe('cursors', () => {
  it('give back what was put in', () => {
    fc.assert(
      fc.property(kind, inside, (name, value) => {
        expect(openCursor(key, name, sealCursor(key, name, value))).toEqual({
          ok: true,
          inside: JSON.parse(JSON.stringify(value)),
        });
      }),
    );
  });

  it('are nothing once a single character is changed, added or left out', () => {
    fc.assert(
      fc.property(inside, fc.nat(), fc.constantFrom('A', 'b', '0', '-', '_', '.', ''), (value, where, char) => {
        const cursor = sealCursor(key, 'wmc', value);
        const at = where % cursor.length;
        const changed = cursor.slice(0, at) + char + cursor.slice(at + 1);
        fc.pre(changed !== cursor);
        expect(openCursor(key, 'wmc', changed).ok).toBe(false);
        expect(openCursor(key, 'wmc', cursor + char).ok).toBe(char === '');
      }),
      { numRuns: 1000 },
    );
  });

  it('are nothing for another kind, another database and another version', () => {
    const cursor = sealCursor(key, 'wmc', { at: 1 });
    expect(openCursor(key, 'hct', cursor)).toEqual({ ok: false, reason: 'invalid' });
    expect(openCursor(key, 'hct', cursor.replace('wmc', 'hct'))).toEqual({ ok: false, reason: 'invalid' });
    expect(openCursor(new Uint8Array(32), 'wmc', cursor)).toEqual({ ok: false, reason: 'invalid' });
    expect(openCursor(key, 'wmc', cursor.replace('wmc1', 'wmc2'))).toEqual({
      ok: false,
      reason: 'version_unsupported',
    });
    expect(openCursor(key, 'wmc', `wmc1.${'A'.repeat(5000)}`)).toEqual({ ok: false, reason: 'invalid' });
  });

  it('keep their key across openings of one database', () => {
    const desk = openDesk();
    const again = openDesk(desk.dir);
    expect(Buffer.from(again.journal.cursorKey).equals(desk.journal.cursorKey)).toBe(true);
  });

  it('never throw on text from anywhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(openCursor(key, 'wmc', text).ok).toBe(false);
      }),
    );
  });
});
