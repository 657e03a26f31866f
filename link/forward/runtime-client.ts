/** The runtime's internal routes (contract/link/route.ts) as functions. */
import { Agent } from 'node:http';
import { connect, type TcpNetConnectOpts } from 'node:net';
import type * as Type from 'typebox';
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import type { CallEnvelope, ResultEnvelope } from '../../contract/call.ts';
import { HEADER_BYTES_MAX, RESULT_BYTES_MAX } from '../../contract/limits.ts';
import { CancelAnswer, Held, packHead, ROUTE, RuntimeFacts, unpackResult } from '../../contract/link/index.ts';
import { RUNNING_MAX, RUNTIME_ASK_MS } from '../limits.ts';
import { troubleWith } from './call-stream.ts';
import { CallStreams } from './call-streams.ts';
import { type Exchange, type Exchanged, exchange } from './exchange.ts';

/** What the runtime answered to a call, or how far the call got. */
export type Answer =
  | { kind: 'result'; envelope: ResultEnvelope; body: Uint8Array }
  /** It finished, and its result is larger than the link carries. */
  | { kind: 'too_large'; size: number; delivery: ResultEnvelope['delivery'] }
  /** It finished, and there is no room for its result at the moment; the runtime keeps it. */
  | { kind: 'no_room'; size: number; delivery: ResultEnvelope['delivery'] }
  /** The runtime answered with an HTTP status of its own. */
  | { kind: 'refused'; status: number; code?: string; message: string }
  | { kind: 'not_sent'; message: string }
  | { kind: 'lost'; message: string };

export interface Bounds {
  /** ms until the answer counts as lost. */
  timeoutMs: number;
  /** False when there is no room for a result of so many bytes. */
  reserve: (bytes: number) => boolean;
}

const PACKED_BYTES_MAX = 4 + HEADER_BYTES_MAX + RESULT_BYTES_MAX;
const JSON_BYTES_MAX = 1024 * 1024;
const encoder = new TextEncoder();

export class RuntimeClient {
  readonly #readToken: () => Promise<string>;
  #token: string | undefined;
  /** For every call; everything else is rare and goes over Node's client. */
  readonly #streams: CallStreams;
  readonly #agent: Agent;

  /**
   * `readToken` reads the state folder's runtime token; it is asked again when a runtime refuses the one in use.
   * `isServed` says whether a generation of ours serves at an endpoint: of a new connection, before the token is sent.
   */
  constructor(readToken: () => Promise<string>, isServed: (endpoint: string) => boolean) {
    this.#readToken = readToken;
    this.#streams = new CallStreams(isServed);
    this.#agent = guardedAgent(isServed);
  }

  /** Hands a call over. */
  async call(endpoint: string, envelope: CallEnvelope, args: Uint8Array, bounds: Bounds): Promise<Answer> {
    const wish = { body: [packHead(envelope), args], ...bounds, maxBytes: PACKED_BYTES_MAX };
    const post = async (token: string): Promise<Exchanged> => {
      const streamed = await this.#streams.post(endpoint, token, wish);
      if (streamed.kind !== 'no_stream') return streamed;
      // A generation of an older revision, after a rollback: it takes each call as a request of its own.
      return exchange(this.#agent, { ...wish, method: 'POST', endpoint, path: ROUTE.call, token });
    };
    return toAnswer(await this.#withToken(post));
  }

  /** Waits for the result of a call that this runtime already knows. */
  async join(endpoint: string, dispatchId: string, bounds: Bounds): Promise<Answer> {
    const path = `${ROUTE.held}/${dispatchId}`;
    return toAnswer(await this.#ask({ method: 'GET', endpoint, path, ...bounds, maxBytes: PACKED_BYTES_MAX }));
  }

  /** Asks the ledger what became of a write that was sent while `bootId` served. */
  async settle(endpoint: string, dispatchId: string, bootId: string, bounds: Bounds): Promise<Answer> {
    const body = [encoder.encode(JSON.stringify({ dispatch_id: dispatchId, boot_id: bootId }))];
    const wish = { method: 'POST', endpoint, path: ROUTE.settle, body, ...bounds } as const;
    return toAnswer(await this.#ask({ ...wish, maxBytes: PACKED_BYTES_MAX }));
  }

  /** Everything the runtime keeps for the link; `undefined` when it does not answer. */
  held(endpoint: string): Promise<Held | undefined> {
    return this.#json(Held, 'GET', endpoint, ROUTE.held);
  }

  /** What the hello says about the runtime; `gone` when nobody listens, `silent` when it did not answer usably. */
  async facts(endpoint: string): Promise<RuntimeFacts | 'gone' | 'silent'> {
    const exchanged = await this.#small('GET', endpoint, ROUTE.facts);
    if (exchanged.kind === 'not_sent') return 'gone';
    const parsed = exchanged.kind === 'answer' && exchanged.status === 200 ? parseJson(exchanged.bytes) : undefined;
    return Value.Check(RuntimeFacts, parsed) ? parsed : 'silent';
  }

  /** Whether something was stopped; `undefined` when the runtime did not answer, so nobody knows. */
  async cancel(endpoint: string, dispatchId: string, reason: string | undefined): Promise<boolean | undefined> {
    const body = { dispatch_id: dispatchId, ...(reason === undefined ? {} : { reason }) };
    return (await this.#json(CancelAnswer, 'POST', endpoint, ROUTE.cancel, body))?.cancelled;
  }

  /** Resolves to false when the runtime did not confirm; its own time limit then forgets the results. */
  ack(endpoint: string, dispatchIds: readonly string[]): Promise<boolean> {
    return this.#tell(endpoint, ROUTE.ack, { dispatch_ids: dispatchIds });
  }

  revoke(endpoint: string, connectorId: string): Promise<boolean> {
    return this.#tell(endpoint, ROUTE.revoke, { connector_id: connectorId });
  }

  close(): void {
    this.#agent.destroy();
    this.#streams.close();
  }

  async #tell(endpoint: string, path: string, body: object): Promise<boolean> {
    const exchanged = await this.#small('POST', endpoint, path, body);
    return exchanged.kind === 'answer' && exchanged.status < 300;
  }

  async #json<Schema extends TSchema>(
    schema: Schema,
    method: 'GET' | 'POST',
    endpoint: string,
    path: string,
    body?: object,
  ): Promise<Type.Static<Schema> | undefined> {
    const exchanged = await this.#small(method, endpoint, path, body);
    if (exchanged.kind !== 'answer' || exchanged.status !== 200) return undefined;
    const parsed = parseJson(exchanged.bytes);
    return Value.Check(schema, parsed) ? parsed : undefined;
  }

  #small(method: 'GET' | 'POST', endpoint: string, path: string, body?: object): Promise<Exchanged> {
    const wish = { method, endpoint, path, timeoutMs: RUNTIME_ASK_MS, maxBytes: JSON_BYTES_MAX };
    return this.#ask(body === undefined ? wish : { ...wish, body: [encoder.encode(JSON.stringify(body))] });
  }

  #ask(wish: Omit<Exchange, 'token'>): Promise<Exchanged> {
    return this.#withToken((token) => exchange(this.#agent, { ...wish, token }));
  }

  /** A refused token is read anew once: starting a new state folder's runtime may have made another one. */
  async #withToken(ask: (token: string) => Promise<Exchanged>): Promise<Exchanged> {
    try {
      this.#token ??= await this.#readToken();
      const used = this.#token; // another call may put a fresh one there meanwhile
      const first = await ask(used);
      if (first.kind !== 'answer' || first.status !== 401) return first;
      const fresh = await this.#readToken();
      if (fresh === used) return first;
      this.#token = fresh;
      return await ask(fresh);
    } catch (error) {
      return { kind: 'not_sent', message: error instanceof Error ? error.message : 'the token cannot be read' };
    }
  }
}

/** Keeps connections as Node's own does, and hands out none to a port that another process has. */
function guardedAgent(isServed: (endpoint: string) => boolean): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: RUNNING_MAX + 16, scheduling: 'lifo' });
  agent.createConnection = (options, made) => {
    const { host = '', port } = options as TcpNetConnectOpts;
    const socket = connect({ host, port, noDelay: true });
    socket.once('error', (error) => made?.(error, socket));
    socket.once('connect', () => {
      const trouble = troubleWith(() => isServed(`http://${host}:${port}`));
      if (trouble === undefined) made?.(null, socket);
      else socket.destroy(new Error(trouble));
    });
    return undefined;
  };
  return agent;
}

function toAnswer(exchanged: Exchanged): Answer {
  if (exchanged.kind === 'not_sent' || exchanged.kind === 'lost') return exchanged;
  if (exchanged.kind === 'too_large') {
    const head = unpackResult(exchanged.head);
    const kind = exchanged.size > PACKED_BYTES_MAX ? 'too_large' : 'no_room';
    return { kind, size: exchanged.size, delivery: head.ok ? head.envelope.delivery : 'unknown' };
  }
  if (exchanged.status !== 200) {
    const { code, message } = (parseJson(exchanged.bytes) ?? {}) as { code?: unknown; message?: unknown };
    return {
      kind: 'refused',
      status: exchanged.status,
      ...(typeof code === 'string' ? { code } : {}),
      message: typeof message === 'string' ? message : `the runtime answered ${exchanged.status}`,
    };
  }
  const result = unpackResult(exchanged.bytes);
  if (!result.ok) return { kind: 'refused', status: 502, message: `the runtime's answer is broken: ${result.message}` };
  const { envelope, body } = result;
  if (envelope.size !== body.length) {
    const message = `the runtime announced ${envelope.size} bytes and sent ${body.length}`;
    return { kind: 'refused', status: 502, message };
  }
  // The generation stops and has touched nothing: as good as its closed door, so another one is asked.
  if (envelope.code === 'workstation_draining' && envelope.delivery === 'not_delivered') {
    return { kind: 'refused', status: 503, message: 'this generation is stopping' };
  }
  if (body.length > RESULT_BYTES_MAX) return { kind: 'too_large', size: body.length, delivery: envelope.delivery };
  return { kind: 'result', envelope, body };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
