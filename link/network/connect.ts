/** Opening the byte stream under a request or a WebSocket: straight, or through a proxy's CONNECT. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { HANDSHAKE_MS_MAX } from '../limits.ts';
import { bareHost, type Environment, proxyFor } from './proxy.ts';

type Created = (error: Error | null, stream: Duplex) => void;
export type CreateConnection = (options: object, created: Created) => Duplex | undefined;

/**
 * A `createConnection` for `node:http`, `node:https` and ws that reaches `target`. The certificates trusted are Node's
 * own and those of `NODE_EXTRA_CA_CERTS`, which Node reads itself when the process starts.
 */
export function connectionTo(target: URL, environment: Environment): CreateConnection {
  const secure = target.protocol === 'https:' || target.protocol === 'wss:';
  const host = bareHost(target);
  const port = target.port === '' ? (secure ? 443 : 80) : Number(target.port);
  const names = { host, port, ...(secure && net.isIP(host) === 0 ? { servername: host } : {}) };
  const proxy = proxyFor(target, environment);
  if (proxy === undefined) {
    return () => (secure ? tls.connect(names) : net.connect({ host, port, noDelay: true }));
  }
  return (_options, created) => {
    tunnel(proxy, host, port, (error, stream) => {
      if (error !== null) created(error, stream);
      else created(null, secure ? tls.connect({ ...names, socket: stream }) : stream);
    });
    return undefined;
  };
}

/** Asks the proxy for a tunnel. The proxy's own name and password, if its address has them, go to the proxy only. */
function tunnel(proxy: URL, host: string, port: number, created: Created): void {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: bareHost(proxy),
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...credentials(proxy) },
    agent: false,
    timeout: HANDSHAKE_MS_MAX,
  });
  const fail = (message: string): void => {
    request.destroy();
    created(new Error(message), request as unknown as Duplex);
  };
  request.once('connect', (response, socket, head) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      fail(`the proxy ${proxy.host} answered ${response.statusCode} to CONNECT`);
      return;
    }
    if (head.length > 0) socket.unshift(head);
    socket.setTimeout(0);
    if (socket instanceof net.Socket) socket.setNoDelay(true);
    created(null, socket);
  });
  request.once('timeout', () => fail(`the proxy ${proxy.host} did not answer`));
  request.once('error', (error) => fail(`the proxy ${proxy.host} cannot be reached: ${error.message}`));
  request.end();
}

function credentials(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
