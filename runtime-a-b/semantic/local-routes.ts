/** The routes of this machine's own `config.json`, read anew whenever the file has changed. */
import { statSync } from 'node:fs';
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { readConfig } from '../../local/config/index.ts';
import { LocalError } from '../../local/error/index.ts';

/** `trouble` is a code: the file cannot be trusted or read, so none of its routes is used. */
export interface LocalRoutes {
  routes: readonly SemanticRoute[];
  trouble?: string;
}

/** Reads on demand, so that `herdr-mcp semantic setup` needs no restart. Never rejects: no routes is an answer. */
export function localRoutes(file: string): () => Promise<LocalRoutes> {
  let known: { mark: string; value: LocalRoutes } | undefined;
  return async () => {
    const mark = markOf(file);
    if (known?.mark !== mark) known = { mark, value: await read(file) };
    return known.value;
  };
}

/** Changes with every change of the file, and with its permissions: a file that others may read is refused. */
function markOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode}` : 'absent';
}

async function read(file: string): Promise<LocalRoutes> {
  try {
    return checked((await readConfig(file)).semantic?.routes ?? []);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return { routes: [], trouble: error.code };
  }
}

/** One wrong member invalidates all: half of a pool would be a surprise. */
function checked(routes: readonly SemanticRoute[]): LocalRoutes {
  const names = new Set(routes.map(({ name }) => name));
  if (names.size !== routes.length) return { routes: [], trouble: 'route_invalid' };
  return routes.every(({ url }) => isRouteAddress(url)) ? { routes } : { routes: [], trouble: 'endpoint_invalid' };
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** https, or plain http to this machine; nothing in the address may carry a secret or be mistaken for one. */
export function isRouteAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(address)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}
