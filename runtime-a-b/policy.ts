/** What the owner allows, from the configuration and the environment in which the runtime was started. Pure. */
import { resolve } from 'node:path';
import { type Config, protectedFolders } from '../local/config/index.ts';
import type { ToolPolicy } from './tools/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `HERDR_MCP_READONLY=1`, `HERDR_MCP_WRITE_ROOTS` and `HERDR_MCP_PROTECTED_FOLDERS` (both comma lists of folders). An
 * empty list of write roots allows no root at all. `policy` of config.json says the same; where both speak, read-only
 * mode and protected folders add up, and the environment's write roots stand instead of the file's. On macOS the three folders that the system guards are protected.
 * `ownFolders` are the state folder by every spelling: it holds keys, the person's environment and what other callers'
 * commands printed, so no file tool reaches into it, also where it lies inside a root.
 */
export function policyFrom(
  env: Env,
  place: { homeDir: string; stateDir: string; ownFolders: readonly string[]; platform?: NodeJS.Platform },
  config: NonNullable<Config['policy']> = {},
): ToolPolicy {
  const { homeDir, stateDir, ownFolders, platform = process.platform } = place;
  const list = env.HERDR_MCP_PROTECTED_FOLDERS;
  return {
    readOnly: env.HERDR_MCP_READONLY === '1' || config.read_only === true,
    writeRoots:
      env.HERDR_MCP_WRITE_ROOTS === undefined ? config.write_roots?.map(plain) : folders(env.HERDR_MCP_WRITE_ROOTS),
    protectedFolders: [...new Set([...ownFolders, ...protectedFolders(config, { homeDir, platform, list })])],
    homeDir,
    stateDir,
  };
}

const plain = (folder: string): string => resolve(folder);

const folders = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(plain);
