/** A scripted server on a Unix socket, for what no well-behaved Herdr does: old versions, silence, half answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FakeRequest {
  id: string;
  method: string;
  params: Record<string, unknown>;
}

/** What a method does with its connection; a returned value is sent as the result. */
export type FakeMethod = (request: FakeRequest, socket: Socket) => object | Promise<object | undefined> | undefined;

export interface FakeHerdr {
  path: string;
  /** Every request so far, in order. */
  requests: FakeRequest[];
  methods: Record<string, FakeMethod>;
  /** Sends an event to every subscriber. */
  push(event: string, data: object): void;
  /** How many connections ended their writing side before they were answered. */
  halfClosed: number;
  /** Stops listening and drops everybody; the file goes too. */
  stop(): Promise<void>;
}

export class FakeError {
  readonly code: string;
  readonly message: string;
  constructor(code: string, message = code) {
    this.code = code;
    this.message = message;
  }
}

export const PONG = { type: 'pong', version: '0.8.0', protocol: 19, capabilities: null };

export function snapshotOf(parts: object = {}): object {
  const snapshot = {
    version: '0.8.0',
    protocol: 19,
    workspaces: [],
    tabs: [],
    panes: [],
    layouts: [],
    agents: [],
    ...parts,
  };
  return { type: 'session_snapshot', snapshot };
}

/** Answers ping, an empty snapshot, an empty agent list and subscriptions unless told otherwise. */
export async function fakeHerdr(methods: Record<string, FakeMethod> = {}): Promise<FakeHerdr> {
  const folder = mkdtempSync(join(tmpdir(), 'hm-fake-'));
  const path = join(folder, 'herdr.sock');
  const subscribers = new Set<Socket>();
  const sockets = new Set<Socket>();
  const fake: FakeHerdr = {
    path,
    requests: [],
    methods: {
      ping: () => PONG,
      'session.snapshot': () => snapshotOf(),
      'agent.list': () => ({ type: 'agent_list', agents: [] }),
      'events.subscribe': (request, socket) => {
        subscribers.add(socket);
        socket.write(`${JSON.stringify({ id: request.id, result: { type: 'subscription_started' } })}\n`);
        return undefined;
      },
      ...methods,
    },
    push(event, data) {
      for (const socket of subscribers) socket.write(`${JSON.stringify({ event, data })}\n`);
    },
    halfClosed: 0,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let text = '';
    let answered = false;
    socket.on('error', () => {}); // a client that leaves is what some tests are about
    socket.on('close', () => {
      sockets.delete(socket);
      subscribers.delete(socket);
    });
    socket.on('end', () => {
      if (!answered && !subscribers.has(socket)) fake.halfClosed += 1;
      socket.end();
    });
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const end = text.indexOf('\n');
      if (end === -1) return;
      const request = JSON.parse(text.slice(0, end)) as FakeRequest;
      text = text.slice(end + 1);
      fake.requests.push(request);
      void answer(request, socket).then((done) => {
        answered = done;
      });
    });
  });
  async function answer(request: FakeRequest, socket: Socket): Promise<boolean> {
    const method = fake.methods[request.method];
    const result = method ? await method(request, socket) : new FakeError('invalid_request', 'unknown method');
    if (result === undefined) return false;
    const { id } = request;
    const line = result instanceof FakeError ? { id: '', error: { ...result } } : { id, result };
    socket.end(`${JSON.stringify(line)}\n`);
    return true;
  }
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return fake;
}
