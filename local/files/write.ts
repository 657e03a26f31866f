import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file as a whole: after a crash or a power cut it holds either the old bytes or the new ones.
 * A temporary file in the same folder is created new, written, synced, renamed over the target, and the folder is synced.
 * A target that is a symlink is replaced, not followed. Throws what the system says; the old file is then untouched.
 */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600 }: { mode?: number } = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', mode);
  try {
    try {
      await handle.chmod(mode); // the umask may have taken bits away
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the first error is the one worth telling
    throw error;
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
