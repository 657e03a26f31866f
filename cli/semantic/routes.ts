/** The routes of `config.json` as a person changes them. Pure. */
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import type { Config } from '../../local/config/index.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Why an address cannot be one of a route, or undefined. The runtime holds the same rule. */
export function addressTrouble(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return 'it is no address';
  if (url.username !== '' || url.password !== '') return 'it holds a name or password';
  if (/[?#]/.test(address)) return 'it has a query or fragment';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return undefined;
  return 'it is neither https nor plain http of this machine';
}

/** The configuration with the route added, or put in the place of the one with its name. The order is the priority. */
export function withRoute(config: Config, route: SemanticRoute, first: boolean): Config {
  const routes = config.semantic?.routes ?? [];
  const at = routes.findIndex(({ name }) => name === route.name);
  const others = routes.filter(({ name }) => name !== route.name);
  const place = first ? 0 : at === -1 ? others.length : at;
  return { ...config, semantic: { routes: others.toSpliced(place, 0, route) } };
}

/** Without the route, or undefined when there is none of this name. */
export function withoutRoute(config: Config, name: string): Config | undefined {
  const routes = config.semantic?.routes ?? [];
  const others = routes.filter((route) => route.name !== name);
  if (others.length === routes.length) return undefined;
  if (others.length > 0) return { ...config, semantic: { routes: others } };
  const { semantic: _, ...rest } = config;
  return rest;
}
