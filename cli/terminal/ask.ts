import { createInterface } from 'node:readline/promises';
import { Interrupted, UsageError } from '../exit.ts';

/** Longest input that is looked for a code, in bytes: a code is six digits, and a pipe may be endless. */
const CODE_INPUT_BYTES_MAX = 256;

/** Asks one question on stderr, so that stdout stays the answer. Needs a terminal; `otherwise` says what to pass instead. */
export async function ask(question: string, otherwise: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(`This asks a question and there is no terminal: ${otherwise}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new Interrupted()));
      reader.once('close', () => reject(new Interrupted()));
      reader.question(question).then((answer) => resolve(answer.trim()), reject);
    });
  } finally {
    reader.close();
  }
}

/**
 * A code of six digits: from stdin when `fromStdin`, else by asking. It never stands on the command line, where every
 * process of the machine can read it. Spaces and dashes in it are ignored.
 */
export async function readCode(question: string, fromStdin: boolean): Promise<string> {
  const text = fromStdin ? await readStdin() : await ask(question, 'pipe the code in and pass --code-stdin');
  const digits = text.replace(/[\s-]/g, '');
  if (!/^[0-9]{6}$/.test(digits)) throw new UsageError('The code has six digits. Nothing was sent.');
  return digits;
}

/** The first line of stdin. */
async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes('\n') || text.length > CODE_INPUT_BYTES_MAX) break;
  }
  return text.split('\n')[0] ?? '';
}
