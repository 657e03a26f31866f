/**
 * One request to Herdr. Each call opens its own connection, writes one whole line, reads one line and closes: Herdr
 * knows no pipelining, and a half-closed or chatty connection counts as a caller who left (protocol 1.5).
 */
import { createConnection } from 'node:net';
import {
  type HerdrMethod,
  type HerdrParams,
  type HerdrResults,
  readServerLine,
  requestLine,
} from '../../contract/herdr/index.ts';
import { patience } from '../../local/patience/index.ts';
import {
  HERDR_ANSWER_BYTES_MAX,
  HERDR_CALL_MS,
  HERDR_CALL_MS_MAX,
  HERDR_CALL_MS_MIN,
  HERDR_REQUEST_BYTES_MAX,
} from '../limits.ts';
import { HerdrFailure } from './failure.ts';
import { LineReader } from './line-reader.ts';

export interface HerdrCallOptions {
  /** In ms; kept between {@link HERDR_CALL_MS_MIN} and {@link HERDR_CALL_MS_MAX}. Default {@link HERDR_CALL_MS}. */
  timeoutMs?: number;
  /** Gives up waiting; what Herdr already read it may still carry out. */
  signal?: AbortSignal;
}

export type HerdrResult = { type: string } & Record<string, unknown>;

export interface HerdrClient {
  readonly socketPath: string;
  /** Asks one modelled method. Throws {@link HerdrFailure}. */
  call<M extends HerdrMethod>(method: M, params: HerdrParams[M], options?: HerdrCallOptions): Promise<HerdrResults[M]>;
  /** Asks any method by name, for the checked passthrough. Throws {@link HerdrFailure}. */
  callAny(method: string, params: object, options?: HerdrCallOptions): Promise<HerdrResult>;
}

let sequence = 0;

/** A client for the server behind this socket. It holds no connection and no state. */
export function createHerdrClient(socketPath: string): HerdrClient {
  const callAny = (method: string, params: object, options: HerdrCallOptions = {}): Promise<HerdrResult> => {
    sequence += 1;
    const line = requestLine(`r${process.pid}-${sequence}`, method, params);
    const size = Buffer.byteLength(line) - 1;
    if (size > HERDR_REQUEST_BYTES_MAX) {
      const text = `the request of ${size} bytes is above Herdr's limit of ${HERDR_REQUEST_BYTES_MAX}`;
      return Promise.reject(new HerdrFailure('encode_error', text, false));
    }
    return exchange(socketPath, line, options);
  };
  return {
    socketPath,
    callAny,
    call: (method, params, options) =>
      callAny(method, params, options) as unknown as Promise<HerdrResults[typeof method]>,
  };
}

function exchange(socketPath: string, line: string, options: HerdrCallOptions): Promise<HerdrResult> {
  const timeoutMs = Math.min(Math.max(options.timeoutMs ?? HERDR_CALL_MS, HERDR_CALL_MS_MIN), HERDR_CALL_MS_MAX);
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: socketPath });
    const reader = new LineReader(HERDR_ANSWER_BYTES_MAX);
    const waiting = patience(timeoutMs, () => fail('timeout', `no answer within ${timeoutMs} ms`));
    const onAbort = () => fail('aborted', 'the call was cancelled while Herdr was being asked');

    function done(): void {
      waiting.end();
      options.signal?.removeEventListener('abort', onAbort);
      socket.destroy();
    }
    function fail(code: string, message: string, cause?: unknown, answered = false): void {
      done();
      reject(new HerdrFailure(code, message, answered, cause));
    }

    if (options.signal?.aborted) return onAbort();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', () => socket.write(line));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(socketFailure(error), describe(error, socketPath), error),
    );
    socket.once('end', () => fail('unexpected_eof', 'the connection ended before an answer came'));
    socket.on('data', (chunk: Buffer) => {
      const read = reader.push(chunk);
      if (read.overflow) return fail('response_too_large', `the answer is above ${HERDR_ANSWER_BYTES_MAX} bytes`);
      const text = read.lines[0];
      if (text === undefined) return;
      const answer = readServerLine(text);
      if (answer.kind === 'result') {
        done();
        resolve(answer.result);
      } else if (answer.kind === 'error') {
        fail(answer.error.code, answer.error.message, undefined, true);
      } else {
        fail('parse_error', answer.kind === 'malformed' ? `the answer is ${answer.reason}` : 'an event came instead');
      }
    });
  });
}

/** The client's code for a failed socket. */
export function socketFailure(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'socket_missing';
  if (error.code === 'ECONNREFUSED') return 'connection_refused';
  return 'socket_error';
}

function describe(error: NodeJS.ErrnoException, socketPath: string): string {
  if (error.code === 'ENOENT') return `there is no socket at ${socketPath}`;
  if (error.code === 'ECONNREFUSED') return `nobody serves the socket at ${socketPath}`;
  return `the socket at ${socketPath} failed (${error.code ?? 'unknown reason'})`;
}
