/** Secrets that a person types without an echo, or a program writes on stdin. They never stand on the command line. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { LocalError } from '../../local/error/index.ts';
import { type Credential, readSecret, samePairingEdge } from './deployed.ts';
import { SECRET_INPUT_CHARS_MAX } from './limits.ts';

export interface Asking {
  input: NodeJS.ReadStream;
  /** Where the questions go. */
  output: NodeJS.WritableStream;
  /** Ends the asking: whoever started us wants everything to end. */
  signal: AbortSignal;
}

/**
 * Asks for what pairs this clone with an edge: of a pairing address that is known only the code, else the operator's
 * secret or a pairing address. At a terminal nothing typed is shown; elsewhere each answer is one line of stdin.
 */
export async function askCredential(origin: string, address: string | undefined, asking: Asking): Promise<Credential> {
  const answers = new Answers(origin, asking);
  try {
    if (address !== undefined) {
      samePairingEdge(address, origin);
      return { address, code: await answers.next(`Six-digit code of the pairing with ${origin} (not shown): `) };
    }
    const secret = readSecret(
      await answers.next(`Operator secret of ${origin}, or a pairing address (not shown): `),
      origin,
    );
    if ('operatorSecret' in secret) return secret;
    return { ...secret, code: await answers.next('Six-digit code of the pairing (not shown): ') };
  } finally {
    answers.close();
  }
}

/** One reader for all questions: lines that came together must not get lost between two. */
class Answers {
  readonly #reader: Interface;
  readonly #asking: Asking;
  readonly #lines: string[] = [];
  readonly #ended: LocalError;
  #waiting: { resolve: (line: string) => void; reject: (why: LocalError) => void } | undefined;
  #over: LocalError | undefined;

  constructor(origin: string, asking: Asking) {
    const { input, output, signal } = asking;
    this.#asking = asking;
    this.#ended = new LocalError(
      'secret_missing',
      `This clone is not paired with ${origin} yet, and no secret came on stdin; nothing was started.`,
      'Run it in a terminal, which asks for it, or write it on stdin.',
    );
    const interrupted = new LocalError('interrupted', 'Interrupted; nothing was sent or started.', 'Start it again.');
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.#reader = createInterface(
      input.isTTY ? { input, output: silent, terminal: true, historySize: 0 } : { input, terminal: false },
    );
    this.#reader.on('line', (line) => {
      if (input.isTTY) output.write('\n');
      const answer = line.trim().slice(0, SECRET_INPUT_CHARS_MAX);
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) waiting.resolve(answer);
      else this.#lines.push(answer);
    });
    this.#reader.once('SIGINT', () => this.#fail(interrupted));
    this.#reader.once('close', () => this.#fail(this.#ended));
    if (signal.aborted) this.#fail(interrupted);
    signal.addEventListener('abort', () => this.#fail(interrupted), { once: true });
  }

  async next(question: string): Promise<string> {
    if (this.#asking.input.isTTY) this.#asking.output.write(question);
    const answer = this.#lines.shift() ?? (await this.#typed());
    if (answer === '') throw this.#ended;
    return answer;
  }

  #typed(): Promise<string> {
    if (this.#over) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #fail(why: LocalError): void {
    this.#over ??= why;
    if (this.#waiting && this.#asking.input.isTTY) this.#asking.output.write('\n');
    this.#waiting?.reject(this.#over);
    this.#waiting = undefined;
  }

  /** Also lets go of stdin, which would keep the process alive. */
  close(): void {
    this.#reader.close();
    if (!this.#asking.input.isTTY) this.#asking.input.destroy();
  }
}
