/** The extension's side of the socket, written for the tests alone: requests, and a stream taken apart into its events. */
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { until } from '../../support/index.ts';

export const socketOf = (stateDir: string) => join(stateDir, 'extension.sock');

export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

function open(
  socketPath: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    request({ socketPath, path, method, headers, agent: false }, resolve).once('error', reject).end(body);
  });
}

export async function ask(
  socketPath: string,
  path: string,
  options: Parameters<typeof open>[2] = {},
): Promise<Answered> {
  const response = await open(socketPath, path, options);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return { status: response.statusCode ?? 0, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

export interface PushedEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

export interface Stream {
  headers: IncomingMessage['headers'];
  /** Every event so far, in order. */
  events: PushedEvent[];
  text(): string;
  ended: Promise<void>;
  /** The first event that fits, from the n-th one on. */
  wait(what: string, fits: (event: PushedEvent) => boolean, from?: number): Promise<PushedEvent>;
  close(): void;
}

/** Opens `/push/events` and waits for its hello. */
export async function follow(socketPath: string, query = '', lastId?: string): Promise<Stream> {
  const response = await open(socketPath, `/push/events${query}`, {
    headers: lastId === undefined ? {} : { 'last-event-id': lastId },
  });
  const events: PushedEvent[] = [];
  let text = '';
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const event = field('event');
      if (event) events.push({ id: field('id') ?? '', event, data: JSON.parse(field('data') ?? 'null') });
    }
  });
  const ended = new Promise<void>((resolve) => {
    response.once('end', resolve);
    response.once('error', () => resolve());
  });
  const stream: Stream = {
    headers: response.headers,
    events,
    text: () => text,
    ended,
    wait: (what, fits, from = 0) => until(what, () => events.slice(from).find(fits)),
    close: () => response.destroy(),
  };
  await stream.wait('hello', ({ event }) => event === 'hello');
  return stream;
}
