/** What every command that changes an installation begins with: where, one at a time, and never from inside itself. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir } from '../../local/files/index.ts';
import { refuseInManagedSession } from '../../local/managed/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { currentLink, packageRoot } from '../release/index.ts';
import { execute, findManager, type ServiceManager, type ServicePlan, serviceEnvironment } from '../service/index.ts';

/** Of commands that move to another release. */
export const service = {
  type: 'boolean',
  default: true,
  description: 'Restart the user service',
  negativeDescription: 'Touch no service',
} as const;

export interface Place {
  stateDir: string;
  homeDir: string;
  env: NodeJS.ProcessEnv;
  /** `undefined`: none works here, or the person wants none. */
  manager: ServiceManager | undefined;
}

/** Runs `work` alone. Throws a {@link LocalError} inside a web AI's session and while another such command runs. */
export async function atPlace<T>(
  what: string,
  options: { service: boolean },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const { env } = process;
  refuseInManagedSession(what, env);
  const stateDir = resolveStateDir(env);
  const homeDir = env['HOME'] || homedir();
  const lock = acquireLock(join(ensurePrivateDir(stateDir), 'install.lock'), what);
  if (!lock.held) {
    throw new LocalError(
      'install_runs',
      `${lock.by.name} (process ${lock.by.pid}) is changing this installation; nothing was changed.`,
      'Wait for it, then run this again.',
    );
  }
  try {
    const manager = options.service ? await managerHere(env, homeDir, stateDir) : undefined;
    return await work({ stateDir, homeDir, env, manager });
  } finally {
    lock.release();
  }
}

/** The service manager of this login. */
export function managerHere(
  env: NodeJS.ProcessEnv,
  homeDir: string,
  stateDir: string,
): Promise<ServiceManager | undefined> {
  const uid = process.getuid?.() ?? 0;
  return findManager({ env, homeDir, platform: process.platform, uid, stateDir, execute });
}

/** The package that this program is part of. */
export const ownPackage = (): string => packageRoot(fileURLToPath(import.meta.url));

/** What the service starts: this Node by its absolute path, whatever release `current` names. */
export function servicePlan({ stateDir, env }: Pick<Place, 'stateDir' | 'env'>): ServicePlan {
  return {
    node: process.execPath,
    script: join(currentLink(stateDir), 'dist', 'herdr-mcp.js'),
    environment: serviceEnvironment(env, stateDir),
    stateDir,
    logs: statePaths(stateDir).logs,
  };
}
