/** What is registered on this workstation: one small file that the installer writes and every host process reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Registration {
  version: 1;
  /** The one origin that is admitted: `chrome-extension://<id>/`. */
  origin: string;
  /** Where the runtime serves the extension. */
  socket: string;
}

export const EXTENSION_ORIGIN = /^chrome-extension:\/\/[a-p]{32}\/$/;

/** Every path below `<state folder>/native`. */
export function nativePaths(stateDir: string) {
  const dir = join(stateDir, 'native');
  return {
    dir,
    /** What the browsers start. */
    wrapper: join(dir, 'herdr-extension-host'),
    program: join(dir, 'herdr-native-host.mjs'),
    registration: join(dir, 'host.json'),
    backups: join(dir, 'backups'),
    pending: join(dir, 'install-pending.json'),
    rollback: join(dir, 'rollback.json'),
    lock: join(dir, 'install.lock'),
  } as const;
}

/** What is registered, or null: nothing, or a file that is not ours to believe. */
export function readRegistration(path: string): Registration | null {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof found !== 'object' || found === null) return null;
    const { version, origin, socket } = found as Partial<Record<keyof Registration, unknown>>;
    if (version !== 1 || typeof origin !== 'string' || typeof socket !== 'string') return null;
    return EXTENSION_ORIGIN.test(origin) ? { version, origin, socket } : null;
  } catch {
    return null; // not installed, or half a file: either way nobody is admitted
  }
}
