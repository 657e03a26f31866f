/** Bytes of a socket to lines of text. Pure; a line that grows beyond the limit is a value, never an exception. */

export class LineReader {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;

  /** `limit` is the longest line in bytes, without its newline. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that this chunk completes. After an overflow the reader is useless: close the connection. */
  push(chunk: Buffer): { lines: string[]; overflow: boolean } {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10, start); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      if (this.#size > this.#limit) return { lines, overflow: true };
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return { lines, overflow: this.#size > this.#limit };
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #take(): string {
    const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return line === undefined ? '' : line.toString('utf8');
  }
}
