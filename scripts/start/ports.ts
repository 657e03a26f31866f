import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../local/error/index.ts';
import {
  EDGE_PORT,
  EDGE_PORTS_TRIED,
  FREE_PORT_FIRST,
  FREE_PORT_LAST,
  INSTALLED_PORTS,
  PORT_POLL_MS,
  PORT_WAIT_MS,
} from './limits.ts';

/** Whether a loopback port can be taken now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * A free loopback port that is taken later: not the installed product's, and none of those that a system hands out by
 * itself, or any program that asks for some port could be given it in between.
 */
export async function anyFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORT_FIRST, FREE_PORT_LAST + 1);
    if (!INSTALLED_PORTS.has(port) && (await isFree(port))) return port;
  }
}

/** Whether a port is free now, or becomes free within {@link PORT_WAIT_MS}. */
export async function isSoonFree(port: number): Promise<boolean> {
  const end = Date.now() + PORT_WAIT_MS;
  while (!(await isFree(port))) {
    if (Date.now() > end) return false;
    await sleep(PORT_POLL_MS);
  }
  return true;
}

/** How {@link edgePort} looks at ports. */
export interface PortLook {
  free: (port: number) => Promise<boolean>;
  /** The same with patience, for the port of before: an earlier start that was killed may still be ending. */
  soonFree: (port: number) => Promise<boolean>;
}

/**
 * The edge's port: the one that was asked for, else the one that clients were given before, else {@link EDGE_PORT} or
 * the next free one. Throws when a port that was asked for or given before is taken, because clients know the address
 * and would be lost without a word, or when none is free.
 */
export async function edgePort(
  asked: number | undefined,
  before: number | undefined,
  { free, soonFree }: PortLook = { free: isFree, soonFree: isSoonFree },
): Promise<number> {
  if (asked !== undefined) {
    if (await free(asked)) return asked;
    throw new LocalError(
      'port_taken',
      `Port ${asked} is in use. Nothing was started.`,
      'End what uses it, or choose another with --port.',
    );
  }
  if (before !== undefined) {
    if (!INSTALLED_PORTS.has(before) && (await soonFree(before))) return before;
    throw new LocalError(
      'port_taken',
      `Port ${before}, at which clients know this clone, is held by another program (perhaps the npm start of another clone); nothing was started or changed.`,
      'End it, or move for good with npm start -- --port <another>: the MCP address changes then, so every client connects and signs in anew.',
    );
  }
  for (let port = EDGE_PORT; port < EDGE_PORT + EDGE_PORTS_TRIED; port += 1) {
    if (!INSTALLED_PORTS.has(port) && (await free(port))) return port;
  }
  throw new LocalError(
    'no_port',
    `No port from ${EDGE_PORT} to ${EDGE_PORT + EDGE_PORTS_TRIED - 1} is free.`,
    'End what uses them, or choose one: npm start -- --port <number>.',
  );
}
