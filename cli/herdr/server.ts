/** Which Herdr the commands mean: the one named, else the person's own when it answers, else the embedded one. */
import { homedir, tmpdir } from 'node:os';
import { LocalError } from '../../local/error/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { createHerdrClient, type HerdrClient, HerdrFailure, herdrSocketPath } from '../../runtime-a-b/herdr/index.ts';
import { PING_MS } from './limits.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A client of the Herdr that answers. Throws a `LocalError` that names every socket that was tried. */
export async function openHerdr(socket: string | undefined, env: Env = process.env): Promise<HerdrClient> {
  const own = herdrSocketPath({ env, homeDir: env['HOME'] || homedir(), tempDir: tmpdir() });
  const tried = socket === undefined ? [own, statePaths(resolveStateDir(env)).herdrSocket] : [socket];
  for (const path of tried) {
    const client = createHerdrClient(path);
    try {
      await client.call('ping', {}, { timeoutMs: PING_MS });
      return client;
    } catch (error) {
      if (!(error instanceof HerdrFailure)) throw error;
    }
  }
  throw new LocalError(
    'herdr_unavailable',
    `No Herdr answers at ${tried.join(' or ')}.`,
    'Start yours, or npm start, which brings an embedded one.',
  );
}

/** Runs one request; a failure becomes a sentence that says what is known of it. */
export async function asked<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof HerdrFailure)) throw error;
    const known = error.delivery === 'unknown' ? ' Whether it was carried out is not known.' : '';
    const next = error.code === 'pane_not_found' ? 'herdr-mcp herdr ls shows what is open.' : '';
    throw new LocalError(error.code, `${what}: ${error.message}.${known}`, next, error);
  }
}
