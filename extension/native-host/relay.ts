/** The way to the runtime: plain HTTP over its private socket. Nothing is repeated here; the extension knows what may be. */
import { type IncomingMessage, request } from 'node:http';
import {
  type FromHost,
  NATIVE_RESPONSE_BYTES_MAX,
  NATIVE_STREAM_CHARS_MAX,
  type NativeError,
} from '../../contract/extension/native.ts';
import { patience } from '../../local/patience/index.ts';
import type { Question } from './question.ts';

export type Send = (message: FromHost) => Promise<void>;

/** Asks and answers once, with `response` or `error`. Aborting ends it without an answer. */
export function relayRequest(
  socket: string,
  question: Extract<Question, { type: 'request' }>,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const { id, method, path, headers, body, timeoutMs } = question;
  return new Promise((resolve) => {
    const settle = (message: FromHost) => {
      waiting.end();
      resolve(signal.aborted ? undefined : send(message));
      asking.destroy();
    };
    const asking = request({ socketPath: socket, method, path, headers: { ...headers, host: 'extension.sock' } });
    const waiting = patience(timeoutMs, () =>
      settle(failure(id, 'native_request_timeout', `The runtime did not answer within ${timeoutMs} ms.`)),
    );
    signal.addEventListener('abort', () => settle(failure(id, 'native_request_timeout', 'Cancelled.')), { once: true });
    asking.on('error', () => settle(unavailable(id)));
    asking.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > NATIVE_RESPONSE_BYTES_MAX) {
          settle(failure(id, 'native_response_too_large', `The answer has over ${NATIVE_RESPONSE_BYTES_MAX} bytes.`));
        } else parts.push(part);
      });
      response.on('error', () => settle(unavailable(id)));
      response.on('aborted', () => settle(unavailable(id)));
      response.on('end', () =>
        settle({
          type: 'response',
          id,
          status: response.statusCode ?? 0,
          headers: shownHeaders(response),
          body: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    asking.end(body);
  });
}

/** Opens the stream and passes its text on as it comes. A browser that does not read holds the runtime's end back. */
export async function relayStream(
  socket: string,
  question: Extract<Question, { type: 'stream' }>,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const { id, path, lastEventId } = question;
  const headers = {
    host: 'extension.sock',
    accept: 'text/event-stream',
    ...(lastEventId && { 'last-event-id': lastEventId }),
  };
  try {
    const response = await opened({ socketPath: socket, path, headers }, signal);
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      response.destroy();
      await send(failure(id, 'native_stream_failed', `The runtime answered ${status}.`));
      return;
    }
    await send({ type: 'stream_open', id, status });
    response.setEncoding('utf8');
    for await (const text of response as AsyncIterable<string>) {
      for (let from = 0; from < text.length; from += NATIVE_STREAM_CHARS_MAX) {
        await send({ type: 'stream_chunk', id, text: text.slice(from, from + NATIVE_STREAM_CHARS_MAX) });
      }
    }
    await send({ type: 'stream_end', id });
  } catch {
    if (!signal.aborted) await send(unavailable(id));
  }
}

function opened(options: object, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({ ...options, signal });
    asking.on('error', reject);
    asking.on('response', resolve);
    asking.end();
  });
}

function shownHeaders({ headers }: IncomingMessage): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of ['content-type', 'cache-control', 'mcp-session-id'] as const) {
    const value = headers[name];
    if (typeof value === 'string') shown[name] = value;
  }
  return shown;
}

const unavailable = (id: string) => failure(id, 'extension_ipc_unavailable', 'No runtime answers on this workstation.');

export function failure(id: string | null, error: NativeError, message: string): FromHost {
  return { type: 'error', id, error, message };
}
