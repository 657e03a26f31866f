/** What a service starts and with which environment. Pure. */
import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';

export interface ServicePlan {
  /** Absolute path of Node. */
  node: string;
  /** Absolute path of the command, by way of `releases/current`. */
  script: string;
  environment: Readonly<Record<string, string>>;
  /** Whose workstation it runs. */
  stateDir: string;
  /** Folder for what the service manager itself does not keep. */
  logs: string;
}

/**
 * What a service needs of a person's environment: a service starts with next to none, so tools would not be found
 * (lean-ctx#1615). Proxies and certificates because the link needs them; everything of ours; never a token.
 */
const CAPTURED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'SHELL',
  'XDG_CONFIG_HOME',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'all_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HERDR_SOCKET_PATH',
  'HERDR_BIN',
  'HERDR_MCP_SECRETS',
  'HERDR_MCP_EXEC_SHELL',
] as const;

/** The environment of the service: captured values, the state folder by name, and a PATH of absolute folders only. */
export function serviceEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  stateDir: string,
): Record<string, string> {
  const captured = CAPTURED.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(captured), PATH: cleanPath(env['PATH'] ?? ''), HERDR_MCP_STATE_DIR: stateDir };
}

/**
 * A PATH for later: absolute folders, each once, without those that npm puts there to run a script. Where nothing is
 * left, what every system has.
 */
export function cleanPath(path: string): string {
  const folders = path
    .split(':')
    .filter((folder) => isAbsolute(folder) && !/\/node_modules\/\.bin$|\/node-gyp-bin$|\/_npx\//.test(folder));
  const known = [...new Set(folders)];
  return (known.length > 0 ? known : ['/usr/local/bin', '/usr/bin', '/bin']).join(':');
}

/** In the first lines of every file of ours, of any folder. */
export const WRITTEN_BY = 'Written by herdr-mcp install';

/**
 * In the first lines of every file that is this folder's: no other file of that name is ever replaced or removed. A
 * digest, because a path may hold what a comment may not.
 */
export function markOf(stateDir: string): string {
  const digest = createHash('sha256').update(stateDir).digest('hex').slice(0, 12);
  return `${WRITTEN_BY} for the folder ${digest}; changes here are lost at the next update.`;
}
