/** A stand-in for a provider of a small model: a real HTTP server on loopback, as slow, wrong, huge and rude as it is told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SemanticRoute } from '../../../contract/semantic/index.ts';

export interface Heard {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export type Manner = (heard: Heard, response: ServerResponse) => void;

/** One server that plays many providers, each at its own path. */
export class Providers {
  readonly heard: Heard[] = [];
  readonly #manners = new Map<string, Manner>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const text = Buffer.concat(chunks).toString('utf8');
        const heard = { path, headers: request.headers, body: JSON.parse(text || '{}') as Record<string, unknown> };
        this.heard.push(heard);
        const manner = this.#manners.get(path.slice(1)) ?? says({}, 404);
        manner(heard, response);
      });
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  at(name: string, manner: Manner): this {
    this.#manners.set(name, manner);
    return this;
  }

  route(name: string, protocol: SemanticRoute['protocol'] = 'decision'): SemanticRoute {
    return { name, protocol, url: `${this.origin}/${name}`, model: 'small-1', api_key: `key-of-${name}-0123456789` };
  }

  get order(): string[] {
    return this.heard.map(({ path }) => path.slice(1));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const says =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Manner =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

type Questions = Record<string, { type: string; choices?: Record<string, string>; levels?: string[] }>;

/** Answers every question: yes with this probability, or with this key. */
export const answers =
  (given: number | ((id: string) => number | string)): Manner =>
  (heard, response) => {
    const told = Object.fromEntries(
      Object.entries(heard.body.questions as Questions).map(([id, question]) => {
        const value = typeof given === 'number' ? given : given(id);
        if (question.type === 'noul') return [id, { type: 'noul', noul: value, why: 'a text nobody asked for' }];
        if (question.type === 'boolean') return [id, { type: 'boolean', probability: value }];
        if (question.type === 'score') return [id, { type: 'score', score: value }];
        const choice = typeof value === 'string' ? value : Object.keys(question.choices ?? {})[0];
        return [id, { type: 'choice', choice, confidence: 0.9 }];
      }),
    );
    says({ model: 'small-1', answers: told, usage: { total_tokens: 7 } })(heard, response);
  };

/** Takes the request and says nothing until its caller goes away. */
export const silent: Manner = () => undefined;

/** Sends its head at once and then a byte now and then, for ever. */
export const dripping: Manner = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Never stops sending. */
export const endless: Manner = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = Buffer.alloc(64 * 1024, 32);
  const more = () => {
    while (!response.destroyed && response.write(piece)) {
      // until it is full
    }
  };
  response.on('drain', more);
  more();
};

/** Breaks the line in the middle of its answer. */
export const rude: Manner = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"model":');
  response.socket?.destroy();
};

/** Answers well, but after whoever asked in these tests has gone on. */
export const late: Manner = (heard, response) => {
  setTimeout(() => answers(0.9)(heard, response), 700);
};
