import { readSync } from 'node:fs';

/** The first `size` bytes of a file as it is now; one that shrank meanwhile gives what is left. */
export function readWhole(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const got = readSync(fd, bytes, length, size - length, length);
    if (got === 0) break;
    length += got;
  }
  return bytes.subarray(0, length);
}
