/** Herdr's event stream: one connection that is written to once and then only read (protocol 4.1). */
import { createConnection } from 'node:net';
import { readServerLine, requestLine, type Subscription } from '../../contract/herdr/index.ts';
import { patience } from '../../local/patience/index.ts';
import { HERDR_ANSWER_BYTES_MAX, HERDR_PING_MS } from '../limits.ts';
import { socketFailure } from './client.ts';
import { HerdrFailure } from './failure.ts';
import { LineReader } from './line-reader.ts';

export interface EventStream {
  /** Resolves, never rejects, when the stream is over for whatever reason. */
  ended: Promise<void>;
  close(): void;
}

/**
 * Subscribes and resolves once Herdr has acknowledged. `onEvent` then gets each event's wire name and data,
 * unknown ones included. Throws {@link HerdrFailure} when the subscription is refused or the server is not there.
 */
export function subscribe(
  socketPath: string,
  subscriptions: readonly Subscription[],
  onEvent: (name: string, data: Readonly<Record<string, unknown>>) => void,
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: socketPath });
    const reader = new LineReader(HERDR_ANSWER_BYTES_MAX);
    let end: () => void = () => {};
    const ended = new Promise<void>((settle) => {
      end = settle;
    });
    let acknowledged = false;
    const waiting = patience(HERDR_PING_MS, () =>
      stop(new HerdrFailure('timeout', 'the subscription was not acknowledged', false)),
    );

    function stop(failure?: HerdrFailure): void {
      waiting.end();
      socket.destroy();
      if (!acknowledged) reject(failure ?? new HerdrFailure('unexpected_eof', 'the stream ended at once', false));
      end();
    }

    socket.once('connect', () => socket.write(requestLine('events', 'events.subscribe', { subscriptions })));
    socket.on('error', (error) =>
      stop(new HerdrFailure(socketFailure(error), 'the event stream failed', false, error)),
    );
    socket.once('close', () => stop());
    socket.once('end', () => stop());
    socket.on('data', (chunk: Buffer) => {
      const { lines, overflow } = reader.push(chunk);
      for (const text of lines) {
        const line = readServerLine(text);
        if (line.kind === 'event') onEvent(line.event, line.data);
        else if (line.kind === 'error') stop(new HerdrFailure(line.error.code, line.error.message, true));
        else if (line.kind === 'result' && !acknowledged) {
          acknowledged = true;
          waiting.end();
          resolve({ ended, close: () => stop() });
        }
        // A line that is none of these is skipped: one odd line must not end the stream.
      }
      if (overflow) stop(new HerdrFailure('response_too_large', 'an event line is too long', false));
    });
  });
}
