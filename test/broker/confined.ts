/**
 * Starting a process that truly cannot read a folder which we can: as another user where we are root, else in a mount
 * namespace of its own with an empty folder in its place on Linux, under a sandbox profile on macOS.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';

/** Any number that no account of a usual machine has. */
export const OTHER_USER = 54_321;

const isRoot = process.getuid?.() === 0;

/** Whether another user can run what we run: as root, and from a checkout and a Node that others may reach. */
export const asOtherUser = isRoot && othersReach(process.execPath, import.meta.filename);

function othersReach(program: string, file: string): boolean {
  const read = ['-e', 'require("fs").readFileSync(process.argv[1])', file];
  return spawnSync(program, read, { uid: OTHER_USER, gid: OTHER_USER, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** `sameUser` never takes another user: on macOS runtime and terminal are one user, and only what they may read differs. */
export function spawnConfined(
  program: string,
  args: readonly string[],
  forbidden: string,
  options: SpawnOptions,
  sameUser = false,
) {
  if (asOtherUser && !sameUser) return spawn(program, args, { ...options, uid: OTHER_USER, gid: OTHER_USER });
  if (process.platform === 'darwin') {
    const profile = `(version 1)(allow default)(deny file-read* (subpath ${JSON.stringify(forbidden)}))`;
    return spawn('sandbox-exec', ['-p', profile, program, ...args], options);
  }
  const script = 'mount -t tmpfs none "$0" && exec "$@"';
  const namespaces = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const inside = [...namespaces, 'sh', '-c', script, forbidden, program, ...args];
  return spawn('unshare', inside, options);
}
