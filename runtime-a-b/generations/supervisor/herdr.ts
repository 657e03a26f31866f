/** Which Herdr is used: the person's own when it answers, else the embedded one. */
import { homedir, tmpdir } from 'node:os';
import { createHerdrClient, HerdrFailure, herdrSocketPath, serverOf } from '../../herdr/index.ts';
import { HERDR_PING_MS } from '../limits.ts';

export interface FoundHerdr {
  socket: string;
  version: string;
}

/** The Herdr that the environment names, when one answers there that we can use in full. */
export async function realHerdr(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<FoundHerdr | undefined> {
  const socket = herdrSocketPath({ env, homeDir: env['HOME'] ?? homedir(), tempDir: tmpdir() });
  const pong = await herdrAt(socket);
  if (!pong) return undefined;
  const server = serverOf(pong, socket);
  if (server.support === 'full') return { socket, version: pong.version };
  say(
    `The Herdr at ${socket} is ${pong.version}, which is too old to work with; an embedded one is started beside it.`,
  );
  return undefined;
}

/** What answers at a socket, or `undefined` when nobody does. */
export async function herdrAt(socket: string): Promise<{ version: string; protocol: number } | undefined> {
  try {
    return await createHerdrClient(socket).call('ping', {}, { timeoutMs: HERDR_PING_MS });
  } catch (error) {
    if (error instanceof HerdrFailure) return undefined; // nobody there, or nobody that answers
    throw error;
  }
}
