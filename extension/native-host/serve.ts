/**
 * One browser port from its first frame to its end. Requests and streams run beside each other and answer by id; a wrong
 * message is answered and changes nothing else. The origin is checked before every question and while streams run, so
 * that a build which is no longer the registered one falls silent.
 */
import type { Readable, Writable } from 'node:stream';
import { createJoiner, type FromHost, inPieces } from '../../contract/extension/native.ts';
import { createFrameReader, type Frame, frameOf } from './frames.ts';
import { OPEN_MAX, OWNER_CHECK_MS } from './limits.ts';
import { type Question, type Refusal, readQuestion } from './question.ts';
import { failure, relayRequest, relayStream } from './relay.ts';

export interface HostParts {
  input: Readable;
  output: Writable;
  /** As the browser names its caller; it cannot be chosen by the extension. */
  origin: string;
  /** The one origin that is registered now; null when none is. */
  registered: () => string | null;
  socket: string;
  version: string;
}

/** Resolves when the browser has closed the port or the origin has lost its right. Never rejects. */
export async function serve(parts: HostParts): Promise<void> {
  const { input, output, origin } = parts;
  const join = createJoiner();
  const read = createFrameReader();
  const open = new Map<string, AbortController>();
  let named = 0;
  let writing = Promise.resolve();
  let over: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });

  /** In order, each when the one before has left; a message in pieces stays together. */
  const send = (message: FromHost): Promise<void> => {
    named += 1;
    const bytes = inPieces(message, `m${named}`).map(frameOf);
    writing = writing.then(async () => {
      for (const frame of bytes) if (!output.destroyed) await written(output, frame);
    });
    return writing;
  };

  /** Says why this origin may not ask (any more), and ends. */
  const mayAsk = (): boolean => {
    const registered = parts.registered();
    if (registered === origin) return true;
    const error = registered === null ? 'extension_origin_unconfigured' : 'extension_origin_not_active';
    void send(failure(null, error, 'Another extension is registered with this native host.')).then(over);
    return false;
  };

  const answer = async (question: Question): Promise<void> => {
    if (question.type === 'identity') {
      const { version } = parts;
      return send({ type: 'identity', id: question.id, active: true, extension_origin: origin, version });
    }
    if (question.type === 'cancel') {
      open.get(question.id)?.abort();
      return;
    }
    if (open.has(question.id) || open.size >= OPEN_MAX) {
      return send(failure(question.id, 'invalid_native_message', 'The id is in use, or too much is open.'));
    }
    const control = new AbortController();
    open.set(question.id, control);
    const done =
      question.type === 'request'
        ? relayRequest(parts.socket, question, send, control.signal)
        : relayStream(parts.socket, question, send, control.signal);
    return done.finally(() => open.delete(question.id));
  };

  const take = (frame: Frame): void => {
    if (frame.kind === 'out_of_step') {
      void send(failure(null, 'invalid_native_message', 'These are no native messages.')).then(over);
      return;
    }
    if (frame.kind !== 'message') {
      const error = frame.kind === 'too_large' ? 'native_message_too_large' : 'invalid_native_message';
      void send(failure(null, error, 'The message was passed over.'));
      return;
    }
    const joined = join(frame.message);
    if (joined.kind === 'part') return;
    const question = joined.kind === 'wrong' ? WRONG_PIECE : readQuestion(joined.message);
    if (!mayAsk()) return;
    if ('refused' in question) void send(failure(question.id, question.refused, question.message));
    else void answer(question);
  };

  const check = setInterval(() => open.size > 0 && mayAsk(), OWNER_CHECK_MS);
  input.on('data', (bytes: Buffer) => {
    for (const frame of read(bytes)) take(frame);
  });
  for (const event of ['end', 'close', 'error'] as const) input.once(event, over);
  output.once('error', over); // the browser went away
  await ended;
  clearInterval(check);
  for (const control of open.values()) control.abort();
}

const WRONG_PIECE: Refusal = {
  refused: 'invalid_native_message',
  id: null,
  message: 'The pieces of a message do not fit together.',
};

function written(output: Writable, frame: Buffer): Promise<void> {
  return new Promise((resolve) => output.write(frame, () => resolve()));
}
