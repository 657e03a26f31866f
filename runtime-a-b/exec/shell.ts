/** Which shell runs a caller's command. */
import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';
import { entryIn } from '../../contract/json.ts';

export interface Shell {
  path: string;
  kind: 'bash' | 'zsh' | 'sh';
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `HERDR_MCP_EXEC_SHELL`, the person's `SHELL`, then zsh, bash and sh: the first that may be run and is one of the three
 * (reference: runtime 4.1). Only bash tells the codes of a pipe's stages.
 */
export function chooseShell(env: Env, mayRun: (path: string) => boolean = isExecutable): Shell {
  const candidates = [env['HERDR_MCP_EXEC_SHELL'], env['SHELL'], '/bin/zsh', '/bin/bash', '/usr/bin/bash', '/bin/sh'];
  for (const path of candidates) {
    const kind = path === undefined ? undefined : entryIn(KINDS, basename(path));
    if (path?.startsWith('/') && kind !== undefined && mayRun(path)) return { path, kind };
  }
  return { path: '/bin/sh', kind: 'sh' };
}

const KINDS: Readonly<Record<string, Shell['kind']>> = { bash: 'bash', zsh: 'zsh', sh: 'sh', dash: 'sh' };

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
