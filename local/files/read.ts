import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { LocalError, systemCode } from '../error/index.ts';
import { privateFileTrouble } from './trouble.ts';

/**
 * The bytes of a file that only we may read, or `undefined` when there is none.
 * A symlink, something that is no file, a foreign owner, and a mode that lets others in are refused by name.
 */
export async function readPrivateFile(path: string): Promise<Buffer | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    const what = code === 'ELOOP' ? 'is a symlink' : `cannot be opened (${code ?? 'unknown reason'})`;
    throw new LocalError('file_not_private', `${path} ${what}.`, 'Replace it with a plain file of your own.', error);
  }
  try {
    const stats = await handle.stat();
    const trouble = privateFileTrouble(stats);
    if (trouble) {
      throw new LocalError(
        'file_not_private',
        `${path} ${trouble}, so it is not trusted.`,
        `Check it, then: chmod 600 ${path}`,
      );
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
