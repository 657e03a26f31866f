/** Where Herdr's API socket is, as Herdr's own command decides it (protocol 1.3). Pure. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type HerdrSupport, herdrSupport, isEmbeddedHerdr } from '../../contract/herdr/index.ts';
import type { HerdrServer } from './view.ts';

export interface SocketQuestion {
  /** From a command line or a setting: beats everything else. */
  explicitPath?: string;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string | undefined;
  tempDir: string;
}

/** The path of the API socket. A malformed `HERDR_SESSION` means the default session, as in Herdr itself. */
export function herdrSocketPath(question: SocketQuestion): string {
  if (question.explicitPath) return question.explicitPath;
  const { HERDR_SOCKET_PATH: path, HERDR_SESSION: session } = question.env;
  if (path) return path;
  const base = configDir(question);
  if (session && session !== 'default' && isSessionName(session)) return join(base, 'sessions', session, 'herdr.sock');
  return join(base, 'herdr.sock');
}

/** 1 to 64 ASCII letters, digits, `.`, `_`, `-`, and neither `.` nor `..`. */
export function isSessionName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== '.' && name !== '..';
}

function configDir({ env, homeDir, tempDir }: SocketQuestion): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'herdr');
  if (homeDir) return join(homeDir, '.config', 'herdr');
  return join(tempDir, 'herdr');
}

/** Who answered a `ping` on this socket. A newer protocol or an unknown capability changes nothing: both are floors. */
export function serverOf(pong: { version: string; protocol: number }, socketPath: string): HerdrServer {
  const embedded = isEmbeddedHerdr(pong);
  const support: HerdrSupport = herdrSupport(pong);
  const key = embedded ? 'embedded' : `h${createHash('sha256').update(socketPath).digest('hex').slice(0, 12)}`;
  return { key, version: pong.version, protocol: pong.protocol, support, embedded };
}
