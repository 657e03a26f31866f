import { createServer } from 'node:net';
import { LocalError } from '../../local/error/index.ts';
import { EDGE_PORT, EDGE_PORTS_TRIED, INSTALLED_PORTS } from './limits.ts';

/** Whether a loopback port can be taken now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A free loopback port that is not the installed product's. */
export async function anyFreePort(): Promise<number> {
  for (;;) {
    const port = await new Promise<number>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', reject);
      probe.listen({ port: 0, host: '127.0.0.1' }, () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
      });
    });
    if (!INSTALLED_PORTS.has(port)) return port;
  }
}

/**
 * The edge's port: the one that clients were given before, else {@link EDGE_PORT}, else the next free one.
 * Throws when a port that was asked for by number is taken, or none is free.
 */
export async function edgePort(
  asked: number | undefined,
  before: number | undefined,
  free: (port: number) => Promise<boolean> = isFree,
): Promise<number> {
  if (asked !== undefined) {
    if (await free(asked)) return asked;
    throw new LocalError('port_taken', `Port ${asked} is in use.`, 'End what uses it, or choose another with --port.');
  }
  const candidates = [before, ...Array.from({ length: EDGE_PORTS_TRIED }, (_, n) => EDGE_PORT + n)];
  for (const port of candidates) {
    if (port !== undefined && !INSTALLED_PORTS.has(port) && (await free(port))) return port;
  }
  throw new LocalError(
    'no_port',
    `No port from ${EDGE_PORT} to ${EDGE_PORT + EDGE_PORTS_TRIED - 1} is free.`,
    'End what uses them, or choose one: npm start -- --port <number>.',
  );
}
