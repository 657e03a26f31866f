/** One question a connection: greet, read a line, run the reading tool, answer a line. */
import type { Socket } from 'node:net';
import * as Value from 'typebox/value';
import {
  BROKER_ANSWER_BYTES_MAX,
  BROKER_ASK_BYTES_MAX,
  BROKER_REVISION,
  type BrokerAnswer,
  BrokerAsk,
} from '../contract/broker.ts';
import { OutcomeError } from '../contract/outcome.ts';
import { patience } from '../local/patience/index.ts';
import type { createReading } from '../runtime-a-b/tools/reading/index.ts';
import { ASK_MS_MAX } from './limits.ts';

/** Serves a new connection to its end. Whoever leaves early takes his question back. */
export function serve(socket: Socket, read: ReturnType<typeof createReading>): void {
  const gone = new AbortController();
  const parts: Buffer[] = [];
  let bytes = 0;
  const waiting = patience(ASK_MS_MAX, () => socket.destroy());
  socket.on('error', () => undefined); // a runtime that left needs no answer
  socket.on('close', () => {
    waiting.end();
    gone.abort();
  });
  socket.on('data', function take(part: Buffer) {
    parts.push(part);
    bytes += part.length;
    if (bytes > BROKER_ASK_BYTES_MAX) return void socket.destroy();
    if (part.at(-1) !== 10) return;
    waiting.end();
    socket.off('data', take);
    socket.resume();
    void answerTo(Buffer.concat(parts), read, gone.signal).then((answer) => socket.end(`${lineOf(answer)}\n`));
  });
  socket.write(`${JSON.stringify({ broker: 'herdr-mcp', revision: BROKER_REVISION })}\n`);
}

async function answerTo(
  line: Buffer,
  read: ReturnType<typeof createReading>,
  signal: AbortSignal,
): Promise<BrokerAnswer> {
  try {
    const ask = asked(line);
    const { body, blocks } = await read({ ...ask, signal });
    return { ok: true, body, ...(blocks === undefined ? {} : { blocks }) };
  } catch (error) {
    return refusalOf(error);
  }
}

function asked(line: Buffer): BrokerAsk {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (Value.Check(BrokerAsk, value)) return value;
  throw new OutcomeError('invalid_params', 'That is no question that this broker understands; nothing was touched.', {
    next: 'Update herdr-mcp and start herdr-broker again.',
  });
}

function lineOf(answer: BrokerAnswer): string {
  const line = JSON.stringify(answer);
  if (Buffer.byteLength(line) <= BROKER_ANSWER_BYTES_MAX) return line;
  const tooLarge = new OutcomeError('response_too_large', 'The answer is larger than the broker may give.', {
    next: 'Ask for less: a smaller page, a narrower pattern or path.',
    delivery: 'delivered',
  });
  return JSON.stringify(refusalOf(tooLarge));
}

/** A failure nobody foresaw is written to the broker's own standard error and told without its text. */
function refusalOf(error: unknown): BrokerAnswer {
  if (error instanceof OutcomeError) {
    const { code, message, next, delivery, details } = error;
    return { ok: false, code, message, next, delivery, ...(details === undefined ? {} : { details }) };
  }
  process.stderr.write(`unforeseen: ${error instanceof Error ? error.stack : String(error)}\n`);
  return {
    ok: false,
    code: 'internal_error',
    message: 'The broker failed in an unforeseen way; nothing was changed. Its standard error has the details.',
    next: 'Call again, or look at the broker’s output on the workstation.',
    delivery: 'unknown',
  };
}
