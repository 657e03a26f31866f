/** Hosts whose paths mean the same in any case. */
const CASELESS: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);

/**
 * One name for a repository, whichever way its remote is written: `host/path`, without scheme, user, port of the scheme,
 * `.git` and trailing slash. Whatever stands before an `@` (it may be a token) is dropped. `undefined` for what is no
 * remote: a local path fences nothing on another machine.
 */
export function repositoryOf(remote: string): string | undefined {
  const asked = remote.trim();
  const scp = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)([^\s]+)$/.exec(asked);
  const url = URL.parse(
    scp ? `ssh://${scp[1]}/${scp[2]?.replace(/^\/+/, '')}` : asked.includes('://') ? asked : `https://${asked}`,
  );
  if (!url || !/^(https?|ssh|git):$/.test(url.protocol)) return undefined;
  const host = url.hostname.toLowerCase();
  const port = url.port === '' || (url.protocol === 'ssh:' && url.port === '22') ? '' : `:${url.port}`;
  const path = url.pathname
    .replace(/\/+/g, '/')
    .replace(/^\/|\/$/g, '')
    .replace(/\.git$/i, '');
  if (!/^[a-z0-9][a-z0-9.-]*\.[a-z0-9-]*[a-z0-9]$/.test(host) || path === '' || /\s|%20/.test(path)) return undefined;
  return `${host}${port}/${CASELESS.has(host) ? path.toLowerCase() : path}`;
}
