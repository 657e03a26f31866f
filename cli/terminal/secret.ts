/** Reading a secret: hidden while it is typed, or the first line of stdin. Never from the command line. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from '../exit.ts';

/** Longest secret that is read, in bytes: the longest key that a provider may have, and a pipe may be endless. */
const SECRET_BYTES_MAX = 8 * 1024;

/** The secret as one trimmed line. `otherwise` says what to pass when there is no terminal to ask at. */
export async function readSecret(question: string, fromStdin: boolean, otherwise: string): Promise<string> {
  if (fromStdin) return firstLine();
  if (!process.stdin.isTTY) throw new UsageError(`This asks a question and there is no terminal: ${otherwise}`);
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new Interrupted()));
      reader.once('close', () => reject(new Interrupted()));
      reader.question('').then((answer) => resolve(answer.trim()), reject);
    });
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes('\n') || text.length > SECRET_BYTES_MAX) break;
  }
  return (text.split('\n')[0] ?? '').trim();
}
