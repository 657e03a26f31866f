/**
 * What was dropped from the middle of a stream that grew too long. The command holds its file and goes on writing at its
 * end, so the file is never cut or copied: a hole is punched into it, offsets stay what they are, and nothing that comes
 * meanwhile is lost. Which bytes are gone is written down before they go.
 */
import { run } from '../../local/spawn/index.ts';
import { readText, writeWhole } from './folder.ts';
import { HOLE_ALIGN, STREAM_BYTES_MAX, STREAM_HEAD_BYTES, TRIM_MS, TRIM_STEP_BYTES } from './limits.ts';
import type { Stream } from './order.ts';

/** Bytes `from`–`to` of a stream are gone. */
export interface Hole {
  from: number;
  to: number;
}

export function readHole(folder: string, stream: Stream): Hole | undefined {
  const match = /^(\d+) (\d+)\n$/.exec(readText(`${folder}/${stream}.hole`) ?? '');
  return match === null ? undefined : { from: Number(match[1]), to: Number(match[2]) };
}

/** The hole that a stream of this size needs, or undefined while the present one is enough. Pure. */
export function nextHole(size: number, present: Hole | undefined): Hole | undefined {
  const kept = size - (present === undefined ? 0 : present.to - present.from);
  const room = present === undefined ? STREAM_BYTES_MAX : STREAM_BYTES_MAX + TRIM_STEP_BYTES;
  if (kept <= room) return undefined;
  const tail = STREAM_BYTES_MAX - STREAM_HEAD_BYTES;
  const to = Math.floor((size - tail) / HOLE_ALIGN) * HOLE_ALIGN;
  return to > STREAM_HEAD_BYTES ? { from: STREAM_HEAD_BYTES, to } : undefined;
}

/**
 * Punches the hole. False where this system cannot (the stream then stays whole); nothing is lost either way. A reader
 * never sees the zeros, because the note comes first.
 */
export async function punch(folder: string, stream: Stream, hole: Hole): Promise<boolean> {
  const before = readHole(folder, stream);
  writeWhole(`${folder}/${stream}.hole`, `${hole.from} ${hole.to}\n`);
  const args = ['--punch-hole', '--keep-size', '--offset', String(hole.from), '--length', String(hole.to - hole.from)];
  const result = await run('fallocate', [...args, `${folder}/${stream}`], { timeoutMs: TRIM_MS }).catch(
    () => undefined,
  );
  if (result?.code === 0) return true;
  if (before !== undefined) writeWhole(`${folder}/${stream}.hole`, `${before.from} ${before.to}\n`);
  else writeWhole(`${folder}/${stream}.hole`, '');
  return false;
}
