import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastLines, Tail } from '../../cli/logs/tail.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hm-logs-'));
  file = join(folder, 'link.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the end of a log', () => {
  it('is its last lines, whole, also of a file far larger than one read', async () => {
    writeFileSync(file, Array.from({ length: 20_000 }, (_, n) => `line ${n} — ${'ü'.repeat(n % 50)}`).join('\n'));
    const lines = await lastLines(file, 5_000);
    expect(lines).toHaveLength(5_000);
    expect(lines[0]).toBe(`line 15000 — `);
    expect(lines.at(-1)).toBe(`line 19999 — ${'ü'.repeat(49)}`);
    expect(await lastLines(file, 0)).toEqual([]);
    expect(await lastLines(join(folder, 'none.log'), 3)).toEqual([]);
    writeFileSync(file, 'one\ntwo\n');
    expect(await lastLines(file, 9)).toEqual(['one', 'two']);
  });
});

describe('a log that is followed', () => {
  it('gives whole lines only, each once, also when the file is put aside and begun anew', () => {
    writeFileSync(file, 'before\n');
    const tail = new Tail(file);
    expect(tail.more()).toEqual([]);
    appendFileSync(file, 'one\nhal');
    expect(tail.more()).toEqual(['one']);
    appendFileSync(file, 'f ü\ntwo\n');
    expect(tail.more()).toEqual(['half ü', 'two']);
    renameSync(file, `${file}.1`);
    expect(tail.more()).toEqual([]);
    writeFileSync(file, 'anew\n');
    expect(tail.more()).toEqual(['anew']);
  });
});
