import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveAnyway } from '../../../runtime-a-b/http/serve-anyway.ts';
import { verifies } from '../../verifies.ts';

let server: Server;
let port: number;
/** What was asked, with the body's length. */
let seen: string[];

// As Node before 22.21 and 24.9 has it: whoever listens for upgrades gets every one.
beforeEach(async () => {
  seen = [];
  server = createServer((asked, response) => {
    let bytes = 0;
    asked.on('data', (piece: Buffer) => (bytes += piece.length));
    asked.once('end', () => {
      const { upgrade, connection, 'x-own': own } = asked.headers;
      seen.push(`${asked.method} ${asked.url} ${bytes} ${upgrade} ${connection} ${own}`);
      response.end(`${bytes} bytes`);
    });
  });
  server.on('upgrade', serveAnyway);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const OFFER = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk', 'x-own': 'kept' };

async function asked(method: string, headers: Record<string, string>, pieces: string[]): Promise<string> {
  const outgoing = request({ host: '127.0.0.1', port, method, path: '/some?q=1', headers: { ...OFFER, ...headers } });
  const answered = once(outgoing, 'response');
  for (const piece of pieces) {
    outgoing.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  outgoing.end();
  const [response] = (await answered) as [IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  return `${response.statusCode} ${text}`;
}

describe('a request whose client offers another protocol', () => {
  it('is served once, with every header but the offer, whatever way its body comes', async () => {
    verifies('runtime.loopback');
    const piece = 'x'.repeat(100_000);
    expect(await asked('GET', {}, [])).toBe('200 0 bytes');
    expect(await asked('POST', { 'content-length': '200000' }, [piece, piece])).toBe('200 200000 bytes');
    expect(await asked('POST', { 'transfer-encoding': 'chunked' }, [piece, 'y'])).toBe('200 100001 bytes');
    expect(seen).toEqual([
      'GET /some?q=1 0 undefined close kept',
      'POST /some?q=1 200000 undefined close kept',
      'POST /some?q=1 100001 undefined close kept',
    ]);
  });

  it('leaves no connection behind, whoever of both goes first', async () => {
    verifies('runtime.loopback');
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    const head = `GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n`;
    const patient: Socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    patient.on('error', () => undefined);
    patient.write(head);
    patient.resume();
    await once(patient, 'end');
    const gone = new Promise((resolve) => patient.once('close', resolve));
    const knocking = setInterval(() => patient.write(head), 10);
    await gone;
    clearInterval(knocking);
    expect(seen).toHaveLength(1);
    const hasty = connect(port, '127.0.0.1');
    hasty.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\ncontent-length: 9\r\n\r\n`);
    await expect.poll(open).toBe(2); // its own, and the one that goes around
    hasty.destroy();
    await expect.poll(open).toBe(0);
  });
});
