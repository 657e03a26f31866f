/**
 * Where everything on the workstation lies: one state folder, and every path in it by name. Nobody else builds one.
 */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { LocalError } from '../error/index.ts';
import { SOCKET_PATH_BYTES_MAX } from '../limits.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The state folder: `HERDR_MCP_STATE_DIR`, else `herdr-mcp` in `XDG_CONFIG_HOME`, else in `~/.config` (on macOS too).
 * A relative `XDG_CONFIG_HOME` is ignored, as the XDG specification asks. Does not touch the disk.
 */
export function resolveStateDir(env: Env, home: string = env['HOME'] || homedir()): string {
  const own = env['HERDR_MCP_STATE_DIR'];
  if (own) return resolve(own);
  const xdg = env['XDG_CONFIG_HOME'];
  return join(xdg && isAbsolute(xdg) ? xdg : join(home, '.config'), 'herdr-mcp');
}

export type StatePaths = ReturnType<typeof statePaths>;

/** Every path inside a state folder. */
export function statePaths(dir: string) {
  return {
    dir,
    config: join(dir, 'config.json'),
    /** Ledger, journal and memory of the runtime; both generations share it. */
    database: join(dir, 'state.db'),
    /** Bearer of the runtime's loopback ports. */
    runtimeToken: join(dir, 'runtime-token'),
    /** The pointer: which generation is active. */
    runtimeActive: join(dir, 'runtime-active.json'),
    /** What a generation says about itself: port, pid, boot, version. */
    runtimeGeneration: { a: join(dir, 'runtime-a.json'), b: join(dir, 'runtime-b.json') },
    /** Who this workstation is at the edge; the key itself is in the keychain or in {@link keys}. */
    device: join(dir, 'device.json'),
    linkStatus: join(dir, 'link-status.json'),
    linkLock: join(dir, 'link.lock'),
    /** Held by the one supervisor of this folder, `herdr-mcp up` or `npm start`. */
    startLock: join(dir, 'start.lock'),
    /** What people and commands want: see runtime-a-b/generations/desired.ts. */
    desired: join(dir, 'desired.json'),
    /** The last good copy of {@link desired}, written before it. */
    desiredCopy: join(dir, 'desired.copy.json'),
    /** Held for the moment in which a command changes {@link desired}. */
    desiredLock: join(dir, 'desired.lock'),
    /** What the supervisor sees and did: see runtime-a-b/generations/observed.ts. */
    observed: join(dir, 'observed.json'),
    /** One immutable folder a revision. */
    revisions: join(dir, 'revisions'),
    /** Copies of {@link database} from before each migration. */
    backups: join(dir, 'backups'),
    /** Held while {@link database} is migrated. */
    migrationLock: join(dir, 'migration.lock'),
    /** Socket and state of the embedded Herdr. */
    herdrSocket: join(dir, 'herdr.sock'),
    herdrState: join(dir, 'herdr'),
    /** Where the browser extension's native host finds the active runtime. */
    extensionSocket: join(dir, 'extension.sock'),
    /** Where the folder broker serves protected folders. */
    brokerSocket: join(dir, 'broker.sock'),
    /** Output files of what callers run. */
    exec: join(dir, 'exec'),
    /** What was found out about coding agents; apart from {@link database}, so that it never blocks a rollback. */
    capability: join(dir, 'capability', 'inventory.db'),
    logs: join(dir, 'logs'),
    keys: join(dir, 'keys'),
  } as const;
}

/** Refuses a socket path that some system would cut or reject, by name. Returns the path. */
export function assertSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_PATH_BYTES_MAX) return path;
  throw new LocalError(
    'socket_path_too_long',
    `The socket path ${path} is ${bytes} bytes long; at most ${SOCKET_PATH_BYTES_MAX} work on every system.`,
    'Use a shorter folder, or set HERDR_MCP_STATE_DIR to one.',
  );
}
