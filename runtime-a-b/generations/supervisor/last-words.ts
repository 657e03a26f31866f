/** What a process that ended by itself told a person, from the end of its log. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LAST_WORDS, LAST_WORDS_BYTES } from '../limits.ts';

/**
 * The plain lines at the end of its log, of a crash the error without its stack, or the message of its last JSON line.
 * Only what was written after `from`, in bytes, counts: the log may hold earlier lives.
 */
export function lastWords(file: string, from: number): string | undefined {
  const lines = endOf(file, from)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const plain = lines.filter((line) => !line.startsWith('{'));
  const crash = plain.findLast((line) => /^(?:\w*Error|\w+Exception)\b.*: /.test(line));
  if (crash !== undefined) return crash;
  if (plain.length > 0) return plain.slice(-LAST_WORDS).join('\n');
  return messageOf(lines.at(-1));
}

function messageOf(line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  try {
    const message: unknown = (JSON.parse(line) as { msg?: unknown }).msg;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined; // a line that was cut by its process's death
  }
}

function endOf(file: string, from: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const begin = Math.max(from <= size ? from : 0, size - LAST_WORDS_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - begin));
    readSync(descriptor, bytes, 0, bytes.length, begin);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
