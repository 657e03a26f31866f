/** The bearer of the loopback ports: one a state folder, 0600, made by whoever comes first. */
import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { LocalError, systemCode } from '../local/error/index.ts';
import { readPrivateFile } from '../local/files/index.ts';
import { statePaths } from '../local/paths/index.ts';

/** 256 bits: nobody guesses it, and it fits every header. */
const TOKEN_BYTES = 32;

/** Reads the token, or makes it. Two processes that start together get the same one: a link is made by one of them only. */
export async function runtimeToken(stateDir: string): Promise<string> {
  const file = statePaths(stateDir).runtimeToken;
  const known = await readPrivateFile(file);
  if (known) return usable(known.toString('utf8').trim(), file);
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
    await handle.sync();
    await handle.close();
    await link(draft, file).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(draft);
  }
  const made = await readPrivateFile(file);
  return usable(made?.toString('utf8').trim() ?? '', file);
}

function usable(token: string, file: string): string {
  if (/^[\x21-\x7e]{20,}$/.test(token)) return token;
  throw new LocalError(
    'token_broken',
    `${file} holds no usable token.`,
    'Remove it and start again; a new one is made.',
  );
}
