/** Which folders are protected: those that the system guards, and those that the person names. Pure. */
import { join, resolve } from 'node:path';

/** Absolute paths, each once. `list` is the comma list of `HERDR_MCP_PROTECTED_FOLDERS`. */
export function protectedFolders(
  config: { protected_folders?: readonly string[] },
  place: { homeDir: string; platform: NodeJS.Platform; list: string | undefined },
): string[] {
  const { homeDir, platform, list = '' } = place;
  const guarded = platform === 'darwin' ? ['Documents', 'Desktop', 'Downloads'].map((name) => join(homeDir, name)) : [];
  const named = list.split(',').map((entry) => entry.trim());
  const all = [...(config.protected_folders ?? []), ...named].filter((entry) => entry !== '');
  return [...new Set([...guarded, ...all.map((folder) => resolve(folder))])];
}
