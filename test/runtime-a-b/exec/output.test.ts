import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextHole, punch, readHole } from '../../../runtime-a-b/exec/hole.ts';
import { STREAM_BYTES_MAX, STREAM_HEAD_BYTES, TRIM_STEP_BYTES } from '../../../runtime-a-b/exec/limits.ts';
import { bringUpToDate, parseOrder } from '../../../runtime-a-b/exec/order.ts';
import { readOutput, streamSizes, type View } from '../../../runtime-a-b/exec/output.ts';
import { verifies } from '../../verifies.ts';
import { temporaryFolder } from '../roots/live-view.ts';
import { finish, never, place, until } from './support.ts';

const MiB = 1024 * 1024;

function folderWith(stdout: string | Uint8Array, stderr: string | Uint8Array = ''): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'stdout'), stdout);
  writeFileSync(join(folder, 'stderr'), stderr);
  return folder;
}

/** All pages of a view, one after another. */
function pages(folder: string, view: View, limit: number, ended = true): string {
  let all = '';
  for (let at = 0; ; ) {
    const page = readOutput(folder, view, at, limit, ended);
    all += page.text;
    if (page.nextOffset >= page.bytesTotal) return all;
    expect(page.nextOffset).toBeGreaterThan(at);
    at = page.nextOffset;
  }
}

describe('pages of output', () => {
  it('are the whole, on character borders, in every view and with every limit', () => {
    verifies('exec.output-kept');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 12 }),
        fc.integer({ min: 4, max: 30 }),
        (writes, limit) => {
          const folder = folderWith('');
          let both = '';
          for (const [first, text] of writes) {
            const clean = text.replace(/\p{Surrogate}/gu, '');
            appendFileSync(join(folder, first ? 'stdout' : 'stderr'), clean);
            bringUpToDate(folder, streamSizes(folder), 'characters');
            both += clean;
          }
          for (const view of ['stdout', 'stderr'] as const)
            expect(pages(folder, view, limit)).toBe(readFileSync(join(folder, view), 'utf8'));
          expect(pages(folder, 'both', limit)).toBe(both);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lose no byte of output that is no text', () => {
    const bytes = Buffer.from(Array.from({ length: 400 }, (_, n) => (n * 37) % 256));
    const folder = folderWith(bytes);
    let covered = 0;
    for (let at = 0; at < bytes.length; ) {
      const page = readOutput(folder, 'stdout', at, 7, true);
      expect(page.offset).toBe(at);
      covered += page.nextOffset - page.offset;
      at = page.nextOffset;
    }
    expect(covered).toBe(bytes.length);
  });

  it('begin behind a character when the offset is inside it, and end before one that is not complete', () => {
    const folder = folderWith('äöü');
    expect(readOutput(folder, 'stdout', 1, 10, true)).toMatchObject({ text: 'öü', offset: 2, nextOffset: 6 });
    expect(readOutput(folder, 'stdout', 0, 3, true)).toMatchObject({ text: 'ä', nextOffset: 2, bytesTotal: 6 });
    expect(readOutput(folder, 'stdout', 99, 3, true)).toMatchObject({ text: '', offset: 6, nextOffset: 6 });
    const open = folderWith(Buffer.from('ä€').subarray(0, 4));
    expect(readOutput(open, 'stdout', 0, 10, false)).toMatchObject({ text: 'ä', nextOffset: 2, bytesTotal: 2 });
    appendFileSync(join(open, 'stdout'), Buffer.from('€').subarray(2));
    expect(readOutput(open, 'stdout', 2, 10, false)).toMatchObject({ text: '€', nextOffset: 5 });
  });

  it('keep their offsets when several generations put output in order at once', () => {
    verifies('exec.output-kept');
    const once = parseOrder('o 5\ne 3\no 9\n');
    expect(parseOrder('o 5\no 5\ne 3\no 4\ne 2\no 9\no 9\nbroken 9\n')).toEqual(once);
    expect(once).toMatchObject({ total: 12, reached: { stdout: 9, stderr: 3 } });
  });

  it('do not mix lines of two streams in what was looked at in between', () => {
    const folder = folderWith('half', 'whole\n');
    expect(bringUpToDate(folder, streamSizes(folder), 'lines').reached).toEqual({ stdout: 0, stderr: 6 });
    appendFileSync(join(folder, 'stdout'), ' a line\n');
    bringUpToDate(folder, streamSizes(folder), 'lines');
    expect(readOutput(folder, 'both', 0, 100, true).text).toBe('whole\nhalf a line\n');
  });
});

describe('a stream that is too long', () => {
  it.each([
    [STREAM_BYTES_MAX, undefined, undefined],
    [STREAM_BYTES_MAX + 4096, undefined, { from: STREAM_HEAD_BYTES, to: STREAM_HEAD_BYTES + 4096 }],
    [STREAM_BYTES_MAX + 5_000, undefined, { from: STREAM_HEAD_BYTES, to: STREAM_HEAD_BYTES + 4096 }],
    [STREAM_BYTES_MAX + TRIM_STEP_BYTES, { from: STREAM_HEAD_BYTES, to: STREAM_HEAD_BYTES + 4096 }, undefined],
    [200 * MiB, { from: STREAM_HEAD_BYTES, to: STREAM_HEAD_BYTES + 4096 }, { from: STREAM_HEAD_BYTES, to: 168 * MiB }],
  ])('of %i bytes with hole %j needs %j', (size, present, expected) => {
    expect(nextHole(size, present)).toEqual(expected);
  });

  it('loses its middle, says so, and keeps the offsets of the rest', async () => {
    verifies('exec.output-kept');
    const line = (n: number) => `${String(n).padStart(1_023, '.')}\n`;
    const folder = folderWith(Array.from({ length: 200 }, (_, n) => line(n)).join(''));
    expect(await punch(folder, 'stdout', { from: 40_960, to: 122_880 })).toBe(true);
    expect(statSync(join(folder, 'stdout')).size).toBe(204_800);
    appendFileSync(join(folder, 'stdout'), 'end\n');
    const before = readOutput(folder, 'stdout', 40_000, 10_000, true);
    expect(before).toMatchObject({ nextOffset: 40_960 });
    const after = readOutput(folder, 'stdout', before.nextOffset, 1_024, true);
    expect(after).toMatchObject({ offset: 122_880, text: line(120), dropped: { from: 40_960, to: 122_880 } });
    expect(readOutput(folder, 'both', 60_000, 1_024, true)).toMatchObject({
      offset: 122_880,
      dropped: { from: 60_000, to: 122_880 },
    });
    expect(pages(folder, 'both', 5_000)).not.toContain('\0');
  });

  it('is left whole when the hole cannot be made', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'stdout'));
    expect(await punch(folder, 'stdout', { from: 4096, to: 8192 })).toBe(false);
    expect(readHole(folder, 'stdout')).toBeUndefined();
  });

  it('is trimmed while and after a command floods it', async () => {
    verifies('exec.output-kept');
    const where = place();
    const exec = where.open();
    const { id } = await finish(exec, where, 'echo begin; head -c 90000000 /dev/zero | tr "\\0" x; echo; echo the end');
    const folder = join(where.stateDir, 'exec', id);
    await until(() => readHole(folder, 'stdout') !== undefined, 'the middle is dropped');
    await until(
      () => statSync(join(folder, 'stdout')).blocks * 512 <= STREAM_BYTES_MAX + TRIM_STEP_BYTES,
      'the room is free',
    );
    const first = exec.read(id, 'both', 0, 100);
    expect(first.text.startsWith('begin\nxxx')).toBe(true);
    expect(first.bytesTotal).toBe(6 + 90_000_000 + 1 + 8);
    expect(exec.read(id, 'both', first.bytesTotal - 8, 100).text).toBe('the end\n');
    expect(exec.read(id, 'both', 40_000_000, 100).dropped).toBeDefined();
    expect((await exec.wait(id, 0, never)).running).toBe(false);
  });
});
