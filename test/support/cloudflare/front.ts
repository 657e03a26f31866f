/**
 * The public side: a proxy that tunnels to Workers by host name and ends TLS with certificates made on the spot, so that
 * `https://herdr-mcp.somebody.workers.dev` is reached as a person's machine reaches it, and nothing leaves this one.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { selfSigned } from '../../link/support/certificate.ts';

/** `undefined`: no such name. Else where the Worker listens. */
export type Resolve = (host: string) => Promise<string | undefined>;

export class Front {
  readonly #certificates = new Map<string, { key: string; cert: string }>();
  readonly #proxy = http.createServer();
  readonly #secure: https.Server;
  readonly #resolve: Resolve;
  /** Every request that came through, as `METHOD https://host/path`. */
  readonly seen: string[] = [];

  constructor(hosts: readonly string[], resolve: Resolve) {
    this.#resolve = resolve;
    for (const host of hosts) this.#certificates.set(host, selfSigned(host));
    this.#secure = https.createServer(
      {
        SNICallback: (name, done) => {
          const own = this.#certificates.get(name);
          done(own ? null : new Error('no such name'), own && tls.createSecureContext(own));
        },
      },
      (request, response) => void this.#pass(request, response),
    );
    this.#proxy.on('connect', async (request, socket) => {
      const host = (request.url ?? '').split(':')[0] ?? '';
      if ((await this.#resolve(host)) === undefined) {
        socket.end('HTTP/1.1 502 No such name\r\n\r\n');
        return;
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      this.#secure.emit('connection', socket);
    });
  }

  /** What a client must trust. */
  get certificates(): string[] {
    return [...this.#certificates.values()].map(({ cert }) => cert);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#proxy.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = request.headers.host ?? '';
    this.seen.push(`${request.method} https://${host}${request.url}`);
    const origin = await this.#resolve(host);
    if (origin === undefined) {
      response.writeHead(530).end('error code: 1016');
      return;
    }
    const headers = { ...request.headers, 'x-forwarded-proto': 'https' };
    const inner = http.request(new URL(request.url ?? '/', origin), { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.writeHead(502).end('error code: 502'));
    request.pipe(inner);
  }

  close(): void {
    this.#proxy.closeAllConnections();
    this.#proxy.close();
    this.#secure.closeAllConnections();
    this.#secure.close();
  }
}
