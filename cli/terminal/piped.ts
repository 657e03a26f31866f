import { UsageError } from '../exit.ts';

/** Longer words the runtime refuses. */
const WORDS_BYTES_MAX = 256 * 1024;

/** Words out of the pipe; `what` they are is said when there are none, or too many. */
export async function readPiped(what: string): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`Give the ${what} as a word, or pipe it in. Nothing was sent.`);
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string;
    if (Buffer.byteLength(text) > WORDS_BYTES_MAX) throw new UsageError(`The ${what} is too long. Nothing was sent.`);
  }
  return text;
}
