/** A file as it was read: its bytes, and the marks by which a later look tells that it is still the same. */
import { hash } from 'node:crypto';
import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';

export interface FileImage {
  bytes: Buffer;
  /** `sha256:…` of the bytes. */
  sha256: string;
  stats: BigIntStats;
}

export const digest = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes)}`;

/** Reads an open file whole. What it is called now is the caller's business. */
export function readImage(fd: number): FileImage {
  const stats = fstatSync(fd, { bigint: true });
  const bytes = Buffer.allocUnsafe(Number(stats.size));
  let length = 0;
  while (length < bytes.length) {
    const got = readSync(fd, bytes, length, bytes.length - length, length);
    if (got === 0) break;
    length += got;
  }
  const read = bytes.subarray(0, length);
  return { bytes: read, sha256: digest(read), stats };
}

/** Whether the name leads to the very file that was read, with its bytes unchanged as far as its marks tell. */
export function isSameFile(path: string, image: FileImage): boolean {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const then = image.stats;
  return (
    now !== undefined &&
    now.dev === then.dev &&
    now.ino === then.ino &&
    now.size === then.size &&
    now.mtimeNs === then.mtimeNs
  );
}

/** The same, and not even its mode, owner or names changed since. */
export function isUnchanged(path: string, image: FileImage): boolean {
  return isSameFile(path, image) && lstatSync(path, { bigint: true }).ctimeNs === image.stats.ctimeNs;
}
