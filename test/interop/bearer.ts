/**
 * Stands before the edge for a client that cannot sign in (the conformance suite): adds the bearer to each request and
 * changes nothing else, neither `Host` nor `Origin`, neither a status nor a byte.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BearerDoor {
  url: string;
  close(): Promise<void>;
}

export async function openBearerDoor(mcpUrl: string, token: string): Promise<BearerDoor> {
  const target = new URL(mcpUrl);
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = request(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
