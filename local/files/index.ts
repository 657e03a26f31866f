/**
 * Files that only their owner may see: atomic writes, private folders, files and sockets, and locks that a crash cannot leave
 * behind. Symlinks and foreign owners are refused, never followed or repaired.
 */
export { ensurePrivateDir } from './folder.ts';
export { acquireLock, type Holder, type Lock, lockHolder } from './lock.ts';
export { readPrivateFile, readPrivateFileNow } from './read.ts';
export { listenPrivately, removeFound, statOrNothing } from './socket.ts';
export { privateFileTrouble } from './trouble.ts';
export { writeAtomic } from './write.ts';
