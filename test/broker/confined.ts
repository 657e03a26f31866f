/**
 * Starting a process that truly cannot read a folder which we can: as another user where we are root, in a mount
 * namespace of its own with an empty folder in its place on Linux, under a sandbox profile on macOS.
 */
import { type SpawnOptions, spawn } from 'node:child_process';

/** Any number that no account of a usual machine has. */
export const OTHER_USER = 54_321;

export const isRoot = process.getuid?.() === 0;

export function spawnConfined(program: string, args: readonly string[], forbidden: string, options: SpawnOptions) {
  if (isRoot) return spawn(program, args, { ...options, uid: OTHER_USER, gid: OTHER_USER });
  if (process.platform === 'darwin') {
    const profile = `(version 1)(allow default)(deny file-read* (subpath ${JSON.stringify(forbidden)}))`;
    return spawn('sandbox-exec', ['-p', profile, program, ...args], options);
  }
  const script = 'mount -t tmpfs none "$0" && exec "$@"';
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, forbidden, program, ...args];
  return spawn('unshare', inside, options);
}
