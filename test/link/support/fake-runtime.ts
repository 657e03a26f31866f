/** A stand-in for a runtime generation: the internal routes over real HTTP, with a ledger that joins and replays. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import {
  CALLS_UPGRADE,
  PieceReader,
  packHead,
  piecesOf,
  type RuntimeFacts,
  unpackCall,
} from '../../../contract/link/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { processStartTime } from '../../../local/spawn/index.ts';

const RUNTIME_TOKEN = 'runtime-token-of-the-tests';

export interface RanCall {
  envelope: CallEnvelope;
  args: Record<string, unknown>;
}

interface Entry {
  class: 'read' | 'write';
  promise: Promise<{ envelope: ResultEnvelope; body: Uint8Array }>;
  finished: boolean;
}

/** What outlives a process: both generations share one. */
export type FakeLedger = Map<string, Entry>;

export class FakeRuntime {
  readonly ran: RanCall[] = [];
  readonly acked: string[] = [];
  readonly cancelled: string[] = [];
  readonly revoked: string[] = [];
  /** Dispatches in doubt, with the boot that was asked for. */
  readonly settled: [string, string][] = [];
  readonly arrivals: string[] = [];
  bootId = `boot_${randomUUID()}`;
  /** Gives the body of a result. */
  tool: (call: RanCall) => Promise<Uint8Array | { ok: false; code: string; body: Uint8Array }> = async () =>
    text('{"content":[{"type":"text","text":"{\\"ok\\":true}"}],"isError":false}');
  /** Called when a request arrives, before anything ran; true swallows it. */
  intercept: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | undefined;
  /** What is written instead of the answer to a call, before anything ran; undefined lets it run. */
  interceptCall: (() => Uint8Array[] | undefined) | undefined;
  readonly ledger: FakeLedger;
  readonly generation: 'a' | 'b';
  #server = this.#create();
  readonly #raw = new Set<Socket>();
  #port = 0;

  constructor(generation: 'a' | 'b' = 'a', ledger: FakeLedger = new Map()) {
    this.generation = generation;
    this.ledger = ledger;
  }

  get port(): number {
    return this.#port;
  }

  get facts(): RuntimeFacts {
    return {
      version: '0.0.0-fake',
      generation: this.generation,
      boot_id: this.bootId,
      contract_epoch: 5,
      contract_hash: 'sha256:fake',
    };
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Writes the files by which the link finds this generation; `active` moves the pointer to it. */
  announce(stateDir: string, active = true, revision = 1): void {
    const paths = statePaths(stateDir);
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const record = {
      schema: 1,
      generation: this.generation,
      boot_id: this.bootId,
      pid: process.pid,
      process_start: processStartTime(process.pid) ?? '',
      port: this.#port,
      started_at_ms: Date.now(),
      version: '0.0.0-fake',
      contract_epoch: 5,
      contract_hash: 'sha256:fake',
      exec: ['fake'],
    };
    writeFileSync(paths.runtimeToken, `${RUNTIME_TOKEN}\n`, { mode: 0o600 });
    writeFileSync(paths.runtimeGeneration[this.generation], JSON.stringify(record), { mode: 0o600 });
    if (!active) return;
    const pointer = { schema: 1, generation: this.generation, port: this.#port, revision };
    writeFileSync(paths.runtimeActive, JSON.stringify(pointer), { mode: 0o600 });
  }

  /** Removes the record: the generation does not run any more, as far as anybody can see. */
  retire(stateDir: string): void {
    rmSync(statePaths(stateDir).runtimeGeneration[this.generation], { force: true });
  }

  /** Cuts every connection; what runs goes on. */
  cut(): void {
    for (const socket of this.#raw) socket.destroy();
  }

  /** Stops listening and cuts; the port stays reserved for {@link listen}. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
    this.#server = this.#create();
  }

  #create(): http.Server {
    const server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
    server.on('upgrade', (request, socket: Socket) => this.#calls(request, socket));
    server.on('connection', (socket: Socket) => {
      this.#raw.add(socket);
      socket.once('close', () => this.#raw.delete(socket));
    });
    return server;
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.arrivals.push(`${request.method} ${path}`);
    if (this.intercept?.(request, response)) return;
    if (request.headers.authorization !== `Bearer ${RUNTIME_TOKEN}`)
      return json(response, 401, { code: 'x', message: 'no' });
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    if (path === '/facts') return json(response, 200, this.facts);
    if (path === '/held') return json(response, 200, { boot_id: this.bootId, held: this.#held() });
    if (path.startsWith('/held/')) return this.#join(path.slice('/held/'.length), response);
    const asked = JSON.parse(body.toString('utf8')) as {
      dispatch_id: string;
      dispatch_ids: string[];
      connector_id: string;
      boot_id: string;
    };
    if (path === '/cancel') {
      this.cancelled.push(asked.dispatch_id);
      return json(response, 200, { ok: true, cancelled: this.ledger.get(asked.dispatch_id)?.finished === false });
    }
    if (path === '/settle') return this.#settle(asked.dispatch_id, asked.boot_id, response);
    if (path === '/ack') {
      this.acked.push(...asked.dispatch_ids);
      for (const id of asked.dispatch_ids) this.ledger.delete(id);
    }
    if (path === '/revoke') this.revoked.push(asked.connector_id);
    response.writeHead(204).end();
  }

  #held(): object[] {
    return Array.from(this.ledger, ([dispatch_id, entry]) => ({
      dispatch_id,
      state: entry.finished ? 'finished' : 'running',
      class: entry.class,
    }));
  }

  async #join(id: string, response: http.ServerResponse): Promise<void> {
    const entry = this.ledger.get(id);
    if (entry === undefined) return json(response, 404, { code: 'dispatch_not_found', message: 'not held' });
    return answer(response, await entry.promise);
  }

  async #settle(id: string, bootId: string, response: http.ServerResponse): Promise<void> {
    this.settled.push([id, bootId]);
    if (this.ledger.has(id)) return this.#join(id, response);
    if (bootId !== this.bootId) return json(response, 404, { code: 'dispatch_not_found', message: 'another ledger' });
    const body = text('{}');
    const envelope = { dispatch_id: id, delivery: 'not_delivered', ok: false, code: 'interrupted', size: 2 } as const;
    return answer(response, { envelope, body });
  }

  /** The stream of calls. One message after the other, in as many pieces as it has. */
  #calls(request: http.IncomingMessage, socket: Socket): void {
    this.arrivals.push(`${request.method} ${request.url}`);
    socket.on('error', () => undefined); // the tests cut
    if (request.headers.authorization !== `Bearer ${RUNTIME_TOKEN}`) {
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
      return;
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${CALLS_UPGRADE}\r\n\r\n`);
    const messages = new Map<number, { missing: number; parts: Buffer[] }>();
    let current = 0;
    const reader = new PieceReader({
      head: ({ number, total }) => {
        current = number;
        if (!messages.has(number)) messages.set(number, { missing: total, parts: [] });
        return true;
      },
      bytes: (view) => {
        const message = messages.get(current);
        if (message === undefined) return;
        message.parts.push(Buffer.from(view));
        message.missing -= view.length;
        if (message.missing > 0) return;
        messages.delete(current);
        void this.#answer(current, Buffer.concat(message.parts), socket);
      },
    });
    socket.on('data', (bytes: Buffer) => reader.push(bytes));
    socket.once('end', () => socket.destroy());
  }

  async #answer(number: number, body: Buffer, socket: Socket): Promise<void> {
    this.arrivals.push('call');
    const instead = this.interceptCall?.();
    const { status, parts } = instead === undefined ? await this.#call(body) : { status: 0, parts: instead };
    if (instead !== undefined) for (const bytes of parts) socket.write(numbered(number, bytes));
    else for (const piece of piecesOf(number, status, parts)) for (const bytes of piece) socket.write(bytes);
  }

  async #call(body: Buffer): Promise<{ status: number; parts: Uint8Array[] }> {
    const unpacked = unpackCall(body);
    const args = unpacked.ok ? parsed(unpacked.body) : undefined;
    if (!unpacked.ok || args === undefined) {
      return {
        status: 400,
        parts: [text('{"code":"invalid_params","message":"no call, or arguments that are none"}')],
      };
    }
    const { envelope } = unpacked;
    let entry = this.ledger.get(envelope.dispatch_id);
    if (entry === undefined) {
      const call: RanCall = { envelope, args };
      this.ran.push(call);
      const created: Entry = { class: envelope.class, promise: this.#run(call), finished: false };
      void created.promise.then(() => (created.finished = true));
      this.ledger.set(envelope.dispatch_id, created);
      entry = created;
    }
    const result = await entry.promise;
    return { status: 200, parts: [packHead(result.envelope), result.body] };
  }

  async #run(call: RanCall): Promise<{ envelope: ResultEnvelope; body: Uint8Array }> {
    const result = await this.tool(call);
    const { dispatch_id } = call.envelope;
    if (result instanceof Uint8Array) {
      return { envelope: { dispatch_id, delivery: 'delivered', ok: true, size: result.length }, body: result };
    }
    const { code, body } = result;
    return { envelope: { dispatch_id, delivery: 'delivered', ok: false, code, size: body.length }, body };
  }
}

function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined; // bytes that a test broke
  }
}

/** A head that a test wrote, under the number that the link chose. */
function numbered(number: number, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  new DataView(copy.buffer).setUint32(0, number);
  return copy;
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function json(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answer(response: http.ServerResponse, result: { envelope: ResultEnvelope; body: Uint8Array }): void {
  const head = packHead(result.envelope);
  response.writeHead(200, { 'content-length': head.length + result.body.length });
  response.write(head);
  response.end(result.body);
}
