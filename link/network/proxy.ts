/** Which proxy, if any, stands between this machine and an address. Pure: the environment comes in as an argument. */
import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for `target`, from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` in either case, as curl reads
 * them. Loopback never goes through a proxy. Throws `Error` with one sentence for a proxy address that cannot be used.
 */
export function proxyFor(target: URL, environment: Environment): URL | undefined {
  const host = bareHost(target);
  if (isLoopback(host)) return undefined;
  const secure = target.protocol === 'https:' || target.protocol === 'wss:';
  const named = secure ? read(environment, 'HTTPS_PROXY') : read(environment, 'HTTP_PROXY');
  const address = named ?? read(environment, 'ALL_PROXY');
  if (address === undefined) return undefined;
  const port = target.port === '' ? (secure ? '443' : '80') : target.port;
  if (isExempt(host, port, read(environment, 'NO_PROXY') ?? '')) return undefined;
  const proxy = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new Error(
      'The proxy named by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is no http:// or https:// address. Nothing was sent. Correct it, or exempt the edge with NO_PROXY.',
    );
  }
  return proxy;
}

/** True for this machine itself. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host of an address without the brackets of an IPv6 one. */
export function bareHost(target: URL): string {
  return target.hostname.startsWith('[') ? target.hostname.slice(1, -1) : target.hostname.toLowerCase();
}

function read(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toLowerCase()];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(host, port, entry.toLowerCase()));
}

function matches(host: string, port: string, entry: string): boolean {
  if (entry.includes('/')) return inSubnet(host, entry);
  const withPort = /^(.+|\[.+\]):(\d+)$/.exec(entry);
  if (withPort !== null && isIP(entry) === 0) {
    return withPort[2] === port && matches(host, port, withPort[1] ?? '');
  }
  const name = entry.replace(/^\*?\./, '').replace(/^\[(.*)\]$/, '$1');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function inSubnet(host: string, entry: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(host);
  if (family === 0 || family !== isIP(network) || !/^\d{1,3}$/.test(bits)) return false;
  const prefix = Number(bits);
  if (prefix > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const subnet = new BlockList();
  subnet.addSubnet(network, prefix, kind);
  return subnet.check(host, kind);
}
