/** `herdr_fs_read`: lines of a text file, and facts about the whole of it. */
import { hash } from 'node:crypto';
import { closeSync, read as readCallback, readSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { OutcomeError } from '../../../contract/outcome.ts';
import { openInside } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { readFailure, rootFacts } from './common.ts';
import {
  LINE_INDEX_STEP,
  READ_BYTES,
  READ_FILE_BYTES_MAX,
  READ_LINES,
  SCAN_CHUNK_BYTES,
  SMALL_FILE_BYTES,
  UTF16_FILE_BYTES_MAX,
} from './limits.ts';
import { type Page, pieces, takeLines } from './page.ts';
import { binaryFile, bytesToLineEnd, scanFile } from './scan.ts';
import { countEndings, lineEnding, readable, type Shape, SNIFF_BYTES, shapeOf, shapeOfHead } from './text/index.ts';
import { readWhole } from './whole.ts';

const read = promisify(readCallback);

/** The mark at the beginning of a UTF-8 file, which is no part of its first line. */
const BOM_BYTES = 3;

interface Wanted {
  start: number;
  lines: number;
  budget: number;
}

/** What is known of the whole file, and the page that was asked for. */
interface Reading {
  page: Page;
  totalLines: number;
  finalNewline: boolean;
  sha256: string;
  shape: Shape;
  ending: string;
}

export const fsRead: ToolHandler = async (args, context) => {
  const {
    path,
    start_line = 1,
    end_line,
    max_bytes = READ_BYTES,
  } = args as {
    path: string;
    start_line?: number;
    end_line?: number;
    max_bytes?: number;
  };
  const end = end_line ?? start_line + READ_LINES - 1;
  if (end < start_line) {
    throw new OutcomeError('invalid_params', `end_line ${end} is before start_line ${start_line}; nothing was read.`, {
      next: 'Give an end_line that is not before start_line.',
    });
  }
  const resolved = await context.roots.existing(context.live.view(), path);
  const { fd, stats } = openInside(resolved);
  try {
    const wanted = { start: start_line, lines: end - start_line + 1, budget: max_bytes };
    const reading = await readLines(fd, stats, resolved.asked, wanted, context.signal);
    return {
      ok: true,
      body: { path: resolved.path, ...rootFacts(resolved.root), ...describe(reading, stats, wanted) },
    };
  } catch (error) {
    throw readFailure(error, resolved.asked);
  } finally {
    closeSync(fd);
  }
};

function describe(reading: Reading, stats: Stats, wanted: Wanted): Record<string, unknown> {
  const { page, totalLines, shape } = reading;
  const next = page.end < totalLines && page.end >= wanted.start ? page.end + 1 : null;
  const cut = page.truncatedBy ?? null;
  return {
    lines: { start: wanted.start, end: page.end, total: totalLines },
    next_start_line: next,
    truncated: cut !== null,
    truncated_by: cut,
    ...(page.cutLine === undefined
      ? {}
      : {
          cut_line: {
            ...page.cutLine,
            note: 'Only the beginning of this line is shown; cut -c through herdr_exec shows the rest.',
          },
        }),
    bytes: stats.size,
    budget: wanted.budget,
    sha256: reading.sha256,
    encoding: shape.encoding,
    ...(shape.bom ? { bom: true } : {}),
    ...(shape.invalid ? { invalid_bytes: true } : {}),
    ...(shape.encoding === 'windows-1252' ? { encoding_guessed: true } : {}),
    line_ending: reading.ending,
    final_newline: reading.finalNewline,
    content: page.content,
  };
}

async function readLines(
  fd: number,
  stats: Stats,
  path: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Reading> {
  if (stats.size <= SMALL_FILE_BYTES) return fromMemory(readWhole(fd, stats.size), path, wanted);
  if (stats.size > READ_FILE_BYTES_MAX) throw tooLarge(path, stats.size, READ_FILE_BYTES_MAX);
  const head = Buffer.alloc(SNIFF_BYTES);
  const shape = shapeOfHead(head.subarray(0, readSync(fd, head, 0, head.length, 0)));
  if (shape === 'binary') throw binaryFile(path, stats.size);
  if (shape.encoding !== 'utf-8') {
    if (stats.size > UTF16_FILE_BYTES_MAX) throw tooLarge(path, stats.size, UTF16_FILE_BYTES_MAX);
    return fromMemory(readWhole(fd, stats.size), path, wanted);
  }
  return await fromLarge(fd, stats, path, wanted, signal);
}

function tooLarge(path: string, size: number, max: number): OutcomeError {
  return new OutcomeError('file_too_large', `${path} has ${size} bytes; at most ${max} are read this way.`, {
    next: 'Read a part of it with herdr_exec, for example sed -n "1,200p".',
    details: { bytes: size, max_bytes: max },
  });
}

function fromMemory(bytes: Buffer, path: string, wanted: Wanted): Reading {
  const shape = shapeOf(bytes);
  if (shape === 'binary') throw binaryFile(path, bytes.length);
  const text = readable(bytes, shape);
  const endings = countEndings(text);
  const breaks = endings.lf + endings.crlf;
  const finalNewline = text.endsWith('\n');
  const totalLines = breaks + (text !== '' && !finalNewline ? 1 : 0);
  const lines = pieces(text, wanted.start - 1 + wanted.lines).slice(wanted.start - 1);
  const more = totalLines > wanted.start - 1 + lines.length && lines.length > 0;
  return {
    page: takeLines(lines, wanted.start, wanted.lines, wanted.budget, more),
    totalLines,
    finalNewline,
    sha256: `sha256:${hash('sha256', bytes)}`,
    shape,
    ending: lineEnding(endings),
  };
}

/** Reads from the nearest indexed line on, and only as far as the page reaches. */
async function fromLarge(
  fd: number,
  stats: Stats,
  path: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Reading> {
  const scan = await scanFile(fd, stats, path, signal);
  const step = Math.min(Math.floor((wanted.start - 1) / LINE_INDEX_STEP), scan.offsets.length - 1);
  let skip = wanted.start - 1 - step * LINE_INDEX_STEP;
  let offset = scan.offsets[step] as number;
  const parts: Buffer[] = [];
  let kept = 0;
  let breaks = 0;
  const chunk = Buffer.allocUnsafe(SCAN_CHUNK_BYTES);
  if (wanted.start <= scan.totalLines) {
    while (breaks < wanted.lines && kept <= wanted.budget) {
      const { bytesRead } = await read(fd, chunk, 0, chunk.length, offset);
      if (bytesRead === 0) break;
      let from = 0;
      for (; skip > 0 && from < bytesRead; skip -= 1) {
        const at = chunk.indexOf(10, from);
        if (at < 0 || at >= bytesRead) {
          from = bytesRead;
          break;
        }
        from = at + 1;
      }
      const part = Buffer.from(chunk.subarray(from, bytesRead));
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) breaks += 1;
      parts.push(part);
      kept += part.length;
      offset += bytesRead;
    }
  }
  const first = wanted.start === 1 && scan.shape.bom;
  const text = readable(Buffer.concat(parts), { ...scan.shape, bom: first });
  const lines = pieces(text, wanted.lines);
  const more = wanted.start - 1 + lines.length < scan.totalLines && lines.length > 0;
  const page = takeLines(lines, wanted.start, wanted.lines, wanted.budget, more);
  // A line of which only a part was read is as long as it is in the file, not as that part.
  if (page.cutLine !== undefined && breaks === 0)
    page.cutLine.bytes = kept - (first ? BOM_BYTES : 0) + (await bytesToLineEnd(fd, offset, signal));
  return {
    page,
    totalLines: scan.totalLines,
    finalNewline: scan.finalNewline,
    sha256: scan.sha256,
    shape: scan.shape,
    ending: lineEnding(scan.endings),
  };
}
