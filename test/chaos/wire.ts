/** The wire in front of the edge, which can be cut: the link and the callers both go through it, told apart by their first line. */
import { createServer, type Socket, connect as to } from 'node:net';

export interface Wire {
  port: number;
  origin: string;
  /** Ends the link's sockets, both halves, without a goodbye. Returns how many there were. */
  cutLink(): number;
  /** The same for everybody else. */
  cutCallers(): number;
  close(): Promise<void>;
}

/** Listens on a free loopback port and passes everything on to `target`'s port. */
export async function openWire(target: number): Promise<Wire> {
  const pairs = new Map<Socket, { other: Socket; link: boolean }>();
  const server = createServer((caller) => {
    const edge = to(target, '127.0.0.1');
    const pair = { other: edge, link: false };
    pairs.set(caller, pair);
    const end = () => {
      pairs.delete(caller);
      caller.destroy();
      edge.destroy();
    };
    for (const socket of [caller, edge]) {
      socket.setNoDelay(true);
      socket.on('error', end); // a cut wire is what this is for
      socket.on('close', end);
    }
    caller.once('data', (first: Buffer) => {
      pair.link = first.subarray(0, 8).toString('latin1') === 'GET /ws/';
    });
    caller.pipe(edge);
    edge.pipe(caller);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const cut = (link: boolean) => {
    const chosen = [...pairs].filter(([, pair]) => pair.link === link);
    for (const [caller, pair] of chosen) {
      caller.resetAndDestroy();
      pair.other.resetAndDestroy();
    }
    return chosen.length;
  };
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    cutLink: () => cut(true),
    cutCallers: () => cut(false),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const caller of pairs.keys()) caller.destroy();
      await closed;
    },
  };
}
