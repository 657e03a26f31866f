/**
 * MCP over stdio in front of the running runtime: each line of a local client becomes one request to the loopback door
 * of the generation that is active at that moment, and its answer one line back. Nothing is kept here, so the runtime may
 * be replaced between two lines. A call that cannot be proved undelivered is answered as unknown and never sent again.
 */

import { classify } from '../../contract/call.ts';
import { objectOf } from '../../contract/json.ts';
import { failureResult, OutcomeError } from '../../contract/outcome.ts';
import { LocalError } from '../../local/error/index.ts';
import { START } from '../start-it.ts';

export interface RelayParts {
  /** Where the active runtime answers, and its bearer; undefined while none runs. Rejects with a `LocalError` alone. */
  door(): Promise<{ url: string; token: string; release(): void } | undefined>;
  /** One message to the client. */
  write(message: string): void;
}

type Json = Record<string, unknown>;

const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;

/** Takes one line of the client. Resolves when its answer was written; never rejects for what a client sent. */
export function createRelay(parts: RelayParts): (line: string) => Promise<void> {
  let version: string | undefined;

  return async (line) => {
    if (line.trim() === '') return;
    const message = objectOf(line);
    if (message === undefined) return answer(null, { error: { code: PARSE_ERROR, message: 'This line is no JSON.' } });
    const id = message.id as string | number | undefined;
    const door = await parts
      .door()
      .catch((error: unknown) => (error instanceof LocalError ? error : Promise.reject(error)));
    if (!door) return noRuntime(message, id);
    if (door instanceof LocalError) return noDoor(message, id, door);
    try {
      const response = await post(door, line, headersOf(message));
      for (const text of await messagesOf(response)) deliver(text, message, id);
    } catch (error) {
      broken(message, id, isRefused(error));
    } finally {
      door.release();
    }
  };

  function headersOf(message: Json): Record<string, string> {
    const own = (message.params as { _meta?: Json } | undefined)?._meta?.[VERSION_KEY];
    const speaks = typeof own === 'string' ? own : version;
    return speaks === undefined || message.method === 'initialize' ? {} : { 'mcp-protocol-version': speaks };
  }

  /** Passes on what the runtime said; an error without an id gets the id of what was asked. */
  function deliver(text: string, asked: Json, id: string | number | undefined): void {
    const told = objectOf(text);
    if (told === undefined || id === undefined) return;
    const result = told.result as { protocolVersion?: unknown } | undefined;
    if (asked.method === 'initialize' && typeof result?.protocolVersion === 'string') version = result.protocolVersion;
    parts.write(told.id === null && told.error !== undefined ? JSON.stringify({ ...told, id }) : text);
  }

  function noRuntime(message: Json, id: string | number | undefined): void {
    fail(message, id, 'No runtime is running on this machine, so nothing was sent.', {
      code: 'runtime_unavailable',
      delivery: 'not_delivered',
      next: `Start it (${START}), then call again.`,
    });
  }

  function noDoor(message: Json, id: string | number | undefined, trouble: LocalError): void {
    const words = `The runtime of this machine cannot be asked, so nothing was sent. ${trouble.message}`;
    fail(message, id, words, { code: 'runtime_unavailable', delivery: 'not_delivered', next: trouble.next });
  }

  function broken(message: Json, id: string | number | undefined, refused: boolean): void {
    if (refused) noRuntime(message, id);
    else
      fail(message, id, 'The runtime went away before it answered; whether the call ran is not known.', {
        code: 'delivery_uncertain',
        delivery: 'unknown',
        next: 'Look at herdr_call herdr_mcp.dispatch.status (by idempotency_key, or the last writes) before it is repeated.',
      });
  }

  /** A tool's call fails as a tool's result, with what became of it; anything else as a protocol error. */
  function fail(
    message: Json,
    id: string | number | undefined,
    words: string,
    {
      code,
      delivery,
      next,
    }: { code: 'runtime_unavailable' | 'delivery_uncertain'; delivery: 'not_delivered' | 'unknown'; next: string },
  ): void {
    if (id === undefined) return;
    if (message.method !== 'tools/call') {
      answer(id, { error: { code: INTERNAL_ERROR, message: `${words} ${next}` } });
      return;
    }
    const params = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
    const callClass = classify(String(params.name), (params.arguments ?? {}) as Json);
    const failure = new OutcomeError(code, words, { delivery, next }).toFailure(callClass);
    answer(id, { result: JSON.parse(Buffer.from(failureResult(failure)).toString('utf8')) as unknown });
  }

  function answer(id: string | number | null, outcome: { result: unknown } | { error: unknown }): void {
    parts.write(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

function post(door: { url: string; token: string }, body: string, more: Record<string, string>): Promise<Response> {
  return fetch(door.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${door.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    },
    body,
  });
}

/** The messages in an answer: one, or those of an event stream; none for an accepted notification. */
async function messagesOf(response: Response): Promise<string[]> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return text.trim() === '' ? [] : [oneLine(text)];
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map(oneLine);
}

/** A message is one line on stdio. JSON has line breaks only between its tokens, so they can be spaces. */
const oneLine = (json: string): string => json.replace(/[\r\n]+/g, ' ').trim();

/** Only a refused connection proves that nothing arrived. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}
