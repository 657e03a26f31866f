/**
 * A request whose client offers to change the protocol, served as if it had not. Node before 22.21 and 24.9 cannot pass
 * over an offer: it hands out the connection. What was asked goes to the same port once more, without the offer, and is
 * answered there like every other request.
 */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

/** `early` is what came behind the request's head. The connection is good for this one request. */
export function serveAnyway(request: IncomingMessage, socket: Socket, early: Buffer): void {
  const { localPort: port = 0, localAddress: host } = socket;
  const again = connect({ port, ...(host === undefined ? {} : { host }) });
  again.on('error', () => again.destroy()); // `close` follows
  again.once('close', () => socket.destroySoon());
  socket.once('close', () => again.destroy());
  again.write(headOf(request), 'latin1');
  again.write(early);
  socket.pipe(again);
  again.pipe(socket);
}

/** The connection ends with the answer, so that an offer in the next request does not lead around once more. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'connection: close'];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
