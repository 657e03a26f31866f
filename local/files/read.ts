import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
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
    handle = await open(path, READ);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw notOpened(path, error);
  }
  try {
    refuse(path, privateFileTrouble(await handle.stat()));
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The same without giving way: for a small file that a running call waits for, and that rarely changes. */
export function readPrivateFileNow(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw notOpened(path, error);
  }
  try {
    refuse(path, privateFileTrouble(fstatSync(descriptor)));
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Never through a link, and never waiting for a pipe's other end. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function notOpened(path: string, error: unknown): LocalError {
  const code = systemCode(error);
  const what = code === 'ELOOP' ? 'is a symlink' : `cannot be opened (${code ?? 'unknown reason'})`;
  return new LocalError('file_not_private', `${path} ${what}.`, 'Replace it with a plain file of your own.', error);
}

function refuse(path: string, trouble: string | undefined): void {
  if (trouble === undefined) return;
  throw new LocalError(
    'file_not_private',
    `${path} ${trouble}, so it is not trusted.`,
    `Check it, then: chmod 600 ${path}`,
  );
}
