/** The end of a file, and what is appended to it: by bytes, whole lines only, also when the file is put aside meanwhile. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** Read at once, in bytes. */
const PIECE = 64 * 1024;

/** The last lines of a file, at most `count`; none of a file that is not there. Reads from the end only. */
export async function lastLines(file: string, count: number): Promise<string[]> {
  if (count === 0 || !existsSync(file)) return [];
  const descriptor = openSync(file, 'r');
  try {
    let at = fstatSync(descriptor).size;
    let bytes = Buffer.alloc(0);
    while (at > 0 && countLines(bytes) <= count) {
      const size = Math.min(PIECE, at);
      at -= size;
      const piece = Buffer.alloc(size);
      readSync(descriptor, piece, 0, size, at);
      bytes = Buffer.concat([piece, bytes]);
    }
    const lines = bytes.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.slice(-count);
  } finally {
    closeSync(descriptor);
  }
}

const countLines = (bytes: Buffer): number => bytes.reduce((found, byte) => (byte === 10 ? found + 1 : found), 0);

/** What is appended to a file from now on. */
export class Tail {
  readonly #file: string;
  #inode: number;
  #at: number;
  #rest = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
    const stats = statSync(file, { throwIfNoEntry: false });
    this.#inode = stats?.ino ?? 0;
    this.#at = stats?.size ?? 0;
  }

  /** Whole lines that came since the last look. A file that was put aside and begun anew is read from its beginning. */
  more(): string[] {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    if (!stats) return [];
    if (stats.ino !== this.#inode || stats.size < this.#at) {
      this.#inode = stats.ino;
      this.#at = 0;
      this.#rest = Buffer.alloc(0);
    }
    if (stats.size === this.#at) return [];
    const descriptor = openSync(this.#file, 'r');
    try {
      const piece = Buffer.alloc(stats.size - this.#at);
      const read = readSync(descriptor, piece, 0, piece.length, this.#at);
      this.#at += read;
      const bytes = Buffer.concat([this.#rest, piece.subarray(0, read)]);
      const end = bytes.lastIndexOf(10);
      this.#rest = bytes.subarray(end + 1);
      return end < 0 ? [] : bytes.subarray(0, end).toString('utf8').split('\n');
    } finally {
      closeSync(descriptor);
    }
  }
}
