import type { Socket } from 'node:net';
import { type Patience, patience } from '../../local/patience/index.ts';
import { LINE_TIMEOUT_MS, MAX_LINE_BYTES, MAX_UNSENT_BYTES, WRITE_TIMEOUT_MS } from '../limits.ts';

/** What a request line is answered with. */
export interface Answer {
  line: object;
  /** Begins a stream after the answer; `push` sends a line, `fail` a last one. The result ends it. */
  stream?: (push: (line: object) => void, fail: (line: object) => void) => () => void;
  /** Runs when the answer has been handed to the system. */
  afterwards?: () => void;
}

export interface Ears {
  /** Aborted when the caller is gone: its end of file or any further byte. */
  gone: AbortSignal;
  /** Called by calls that wait or stream: from now on a half-close or another byte means that the caller left. */
  waiting(): void;
}

/** Answers one line; undefined when the caller left while it waited: then nothing is written. */
export type Answerer = (line: string, ears: Ears) => Promise<Answer | undefined>;

/** Reads exactly one line. Undefined: too long, too slow, not UTF-8, empty, or ended before the newline. */
function readLine(socket: Socket, onRest: () => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let done = false;
    const finish = (line: string | undefined): void => {
      if (done) return;
      done = true;
      waiting.end();
      resolve(line);
    };
    const waiting = patience(LINE_TIMEOUT_MS, () => finish(undefined));
    socket.on('data', (chunk: Buffer) => {
      if (done) {
        onRest();
        return;
      }
      const end = chunk.indexOf(0x0a);
      const part = end < 0 ? chunk : chunk.subarray(0, end);
      size += part.length;
      if (size > MAX_LINE_BYTES) return finish(undefined);
      chunks.push(part);
      if (end < 0) return;
      let text: string;
      try {
        text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
      } catch {
        return finish(undefined);
      }
      finish(text.trim() === '' ? undefined : text);
      if (end + 1 < chunk.length) onRest();
    });
    socket.once('end', () => {
      finish(undefined);
      onRest();
    });
    socket.once('close', () => {
      finish(undefined);
      onRest();
    });
  });
}

/**
 * One connection: one line in, its answer out, closed. A caller that stops reading is cut off, so that it cannot hold
 * memory. Nothing that a caller does throws here. Source: reference/herdr-protocol.md 1.5 and 1.6.
 */
export async function serveConnection(socket: Socket, answer: Answerer): Promise<void> {
  const gone = new AbortController();
  let waits = false;
  let restCame = false;
  let unread: Patience | undefined;
  // The peer's reset is how most callers leave; 'close' follows and does the work.
  socket.on('error', () => gone.abort());
  socket.on('close', () => {
    unread?.end();
    gone.abort();
  });
  socket.on('drain', () => {
    unread?.end();
    unread = undefined;
  });
  const send = (line: object): void => {
    if (socket.destroyed || !socket.writable) return;
    if (socket.write(`${JSON.stringify(line)}\n`)) return;
    if (socket.writableLength > MAX_UNSENT_BYTES) socket.destroy();
    else unread ??= patience(WRITE_TIMEOUT_MS, () => socket.destroy());
  };
  const line = await readLine(socket, () => {
    restCame = true;
    if (waits) gone.abort();
  });
  if (line === undefined) {
    socket.destroy();
    return;
  }
  const given = await answer(line, {
    gone: gone.signal,
    waiting() {
      waits = true;
      if (restCame) gone.abort();
    },
  });
  if (!given || (waits && gone.signal.aborted)) {
    socket.destroy();
    return;
  }
  send(given.line);
  if (!given.stream) {
    socket.end(() => given.afterwards?.());
    // A peer that neither reads nor closes must not keep the connection.
    if (socket.writableLength > 0) unread ??= patience(WRITE_TIMEOUT_MS, () => socket.destroy());
    return;
  }
  const stop = given.stream(send, (last) => {
    send(last);
    socket.end();
  });
  const ended = (): void => {
    stop();
    socket.destroy();
  };
  if (gone.signal.aborted) ended();
  else gone.signal.addEventListener('abort', ended, { once: true });
}
